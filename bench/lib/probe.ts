/** The text that each element has, by selector; an empty text if it only has to be there. */
export type Shown = Record<string, string>

export interface Frames {
  /** Milliseconds from frame to frame. */
  intervals: number[]
  /** Milliseconds of each long task. */
  longTasks: number[]
}

interface Probe {
  /** When a frame is painted that has all of this. */
  waitUntilPainted(shown: Shown): Promise<number>
  /** How long it takes from the next event of a kind until such a frame is painted. */
  timeFrom(type: 'click' | 'keydown', shown: Shown): Promise<number>
  /** How long it takes from each key that changes a text until the next frame is painted. */
  recordKeys(): number[]
  /** Ends when the function is called that it returns. */
  recordFrames(): () => Frames
}

declare global {
  interface Window {
    probe: Probe
    /** What was begun in one call of the browser and is read in a later one. */
    begun: { time?: Promise<number>; keys?: number[]; endFrames?(): Frames }
  }
}

/** Runs in each page before its scripts. It cannot use anything from outside. */
export function installProbe() {
  /** Runs in the next frames until it returns true, and resolves when that frame is painted. */
  const inFrames = (look: () => boolean) =>
    new Promise<number>((resolve) => {
      const attempt = () => {
        if (!look()) return void requestAnimationFrame(attempt)
        // The frame is painted before the next task.
        const { port1, port2 } = new MessageChannel()
        port1.onmessage = () => resolve(performance.now())
        port2.postMessage(undefined)
      }
      requestAnimationFrame(attempt)
    })
  const isShown = (shown: Shown) =>
    Object.entries(shown).every(([selector, text]) => document.querySelector(selector)?.textContent.includes(text))

  window.begun = {}
  window.probe = {
    waitUntilPainted: (shown) => inFrames(() => isShown(shown)),
    timeFrom: (type, shown) =>
      new Promise((resolve) => {
        const measure = async ({ timeStamp }: Event) => {
          const painted = await inFrames(() => isShown(shown))
          resolve(painted - timeStamp)
        }
        addEventListener(type, measure, { capture: true, once: true })
      }),
    recordKeys() {
      const times: number[] = []
      let pressed = 0
      addEventListener('keydown', ({ timeStamp }) => (pressed = timeStamp), true)
      addEventListener(
        'input',
        async () => {
          const started = pressed
          times.push((await inFrames(() => true)) - started)
        },
        true,
      )
      return times
    },
    recordFrames() {
      const frames: Frames = { intervals: [], longTasks: [] }
      const observer = new PerformanceObserver((list) =>
        frames.longTasks.push(...list.getEntries().map(({ duration }) => duration)),
      )
      observer.observe({ type: 'longtask' })
      let [isOver, last] = [false, 0]
      const note = (now: number) => {
        if (last) frames.intervals.push(now - last)
        last = now
        if (!isOver) requestAnimationFrame(note)
      }
      requestAnimationFrame(note)
      return () => {
        isOver = true
        observer.disconnect()
        return frames
      }
    },
  }
}
