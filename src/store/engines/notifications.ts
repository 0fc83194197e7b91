import pg from 'pg'

const CHANNEL = 'parley'
const BATCH_MS = 5
const SAFETY_MS = 750
const RECONNECT_MS = 500

/**
 * Wake-ups between nodes. They are sent beside the write, never in its transaction: NOTIFY in a transaction takes
 * a lock on the whole database at commit. One that gets lost costs under a second, not an event.
 */
export function openNotifications(url: string, send: (payload: string) => Promise<unknown>) {
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
        send(payload).catch(() => {})
      }, BATCH_MS)
    },
    watch: (onChange: (workspaceKeys?: number[]) => void) => listen(url, onChange),
  }
}

function listen(url: string, onChange: (workspaceKeys?: number[]) => void): () => void {
  let client: pg.Client | undefined
  let isClosed = false
  const safety = setInterval(() => onChange(), SAFETY_MS)

  const connect = async () => {
    if (isClosed) return
    const next = new pg.Client({ connectionString: url, application_name: 'parley listener', keepAlive: true })
    let isDone = false
    const again = () => {
      if (isDone) return
      isDone = true
      next.end().catch(() => {})
      setTimeout(connect, RECONNECT_MS)
    }
    next.on('error', again)
    next.on('end', again)
    next.on('notification', ({ payload }) => onChange(payload?.split(',').map(Number)))
    try {
      await next.connect()
      await next.query(`LISTEN ${CHANNEL}`)
      client = next
      onChange()
    } catch {
      again()
    }
  }
  void connect()
  return () => {
    isClosed = true
    clearInterval(safety)
    client?.end().catch(() => {})
  }
}

export const notifySql = `SELECT pg_notify('${CHANNEL}', $1)`
