import { type ComponentProps, type ComponentType, lazy, useState } from 'react'

const RETRY_MS = 3_000

/** Load what is likely to be needed next. */
const soon: (() => Promise<void>)[] = []

/** Loads all code that is needed soon, and marks the time. What cannot be loaded now is loaded when it is shown. */
export async function loadSoon() {
  await Promise.allSettled(soon.map((preload) => preload()))
  performance.mark('loaded-soon')
}

/** A component whose code is loaded when it is first shown, or soon; without a connection, as soon as there is one. */
// biome-ignore lint/suspicious/noExplicitAny: as `lazy` has it.
export function lazyLoad<C extends ComponentType<any>>(
  load: () => Promise<{ default: C }>,
  when: 'soon' | 'when shown' = 'when shown',
) {
  let loaded: C | undefined
  const preload = async () => {
    loaded ??= (await load()).default
  }
  const Lazy = lazy(async () => {
    for (;;)
      try {
        await preload()
        return { default: loaded! }
      } catch {
        await new Promise((resolve) => {
          setTimeout(resolve, RETRY_MS)
          addEventListener('online', resolve, { once: true })
        })
      }
  })
  /** `lazy` would first show its fallback, for 300 ms, even if the code is there. */
  function LoadedLater(props: ComponentProps<C>) {
    const [Part] = useState(() => loaded ?? Lazy)
    return <Part {...props} />
  }
  if (when === 'soon') soon.push(preload)
  return Object.assign(LoadedLater, { preload })
}
