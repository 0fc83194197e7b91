import { type ComponentType, lazy } from 'react'

const RETRY_MS = 3_000

/** A component whose code is loaded when it is first shown; without a connection, as soon as there is one. */
// biome-ignore lint/suspicious/noExplicitAny: as `lazy` has it.
export const lazyLoad = <C extends ComponentType<any>>(load: () => Promise<{ default: C }>) =>
  lazy(async () => {
    for (;;)
      try {
        return await load()
      } catch {
        await new Promise((resolve) => {
          setTimeout(resolve, RETRY_MS)
          addEventListener('online', resolve, { once: true })
        })
      }
  })
