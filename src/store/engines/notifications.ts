import type { SQL } from 'bun'

const CHANNEL = 'parley'
const BATCH_MS = 5
const SAFETY_MS = 750
const RETRY_MS = 500

/**
 * Wake-ups between nodes. They are sent beside the write, never in its transaction: NOTIFY in a transaction takes
 * a lock on the whole database at commit. A lost one delays events by less than a second; no event is lost.
 */
export function openNotifications(pool: SQL) {
  let waiting = new Set<number>()
  let timer: Timer | undefined

  return {
    notify(workspaceKey: number) {
      waiting.add(workspaceKey)
      if (timer) return
      timer = setTimeout(() => {
        const payload = [...waiting].join()
        timer = undefined
        waiting = new Set()
        // The other nodes look for themselves all the while, so a lost wake-up is no loss.
        pool.notify(CHANNEL, payload).catch(() => {})
      }, BATCH_MS)
    },
    watch: (onChange: (workspaceKeys?: number[]) => void) => listen(pool, onChange),
  }
}

/** Bun reconnects by itself but does not report a lost connection, so all workspaces are checked every 750 ms as well. */
function listen(pool: SQL, onChange: (workspaceKeys?: number[]) => void): () => void {
  let subscription: SQL.ListenSubscription | undefined
  let isClosed = false
  const safety = setInterval(() => onChange(), SAFETY_MS)
  const onNotify = (payload: string) => onChange(payload.split(',').map(Number))

  const subscribe = async () => {
    if (isClosed) return
    try {
      subscription = await pool.listen(CHANNEL, onNotify, () => onChange())
      if (isClosed) await subscription.unlisten()
    } catch {
      setTimeout(subscribe, RETRY_MS)
    }
  }
  void subscribe()
  return () => {
    isClosed = true
    clearInterval(safety)
    subscription?.unlisten().catch(() => {})
  }
}
