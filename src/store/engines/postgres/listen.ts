import type { SQL } from 'bun'
import { within } from '../../../metrics'
import { newClient, requireSession } from './connection'
import type { Deadlines } from './deadlines'
import type { Host, Hosts } from './hosts'

const CHANNEL = 'parley'
/** Nobody sends anything there. */
const CHECK_CHANNEL = 'parley_check'
const BATCH_MS = 5
const SAFETY_MS = 750
const RETRY_MS = 500

interface Pool {
  run<T>(statement: (sql: SQL) => PromiseLike<T>): Promise<T>
}

/**
 * Wake-ups between nodes. They are sent beside the write, never in its transaction: NOTIFY in a transaction takes
 * a lock on the whole database at commit. A lost one delays events by less than a second; no event is lost.
 */
export function openNotifications(hosts: Hosts, pool: Pool, deadlines: Deadlines) {
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
        pool.run((sql) => sql.unsafe('SELECT pg_notify($1, $2)', [CHANNEL, payload])).catch(() => {})
      }, BATCH_MS)
    },
    watch: (onChange: (workspaceKeys?: number[]) => void) => listen(hosts, deadlines, onChange),
  }
}

/**
 * Listens on a connection of its own, and replaces it if it no longer replies: Bun reconnects by itself, but does not notice that
 * a network has forgotten the connection, and does not report a lost one. So all workspaces are checked every 750 ms as well. If
 * all other connections are to another host by then, this one follows them.
 */
function listen(hosts: Hosts, deadlines: Deadlines, onChange: (workspaceKeys?: number[]) => void): () => void {
  const { listenMs, listenEveryMs } = deadlines
  let client: SQL | undefined
  let host: Host | undefined
  let next: Timer | undefined
  let isTrying = false
  let isClosed = false
  const safety = setInterval(() => {
    onChange()
    if (client && !isTrying && host !== hosts.current()) void keepListening()
  }, SAFETY_MS)
  const onNotify = (payload: string) => onChange(payload.split(',').map(Number))

  async function keepListening() {
    clearTimeout(next)
    isTrying = true
    let pause = listenEveryMs
    if (host !== hosts.current()) closeClient()
    try {
      if (client) await check(client)
      else await hosts.connect(begin)
    } catch {
      closeClient()
      pause = RETRY_MS
    }
    isTrying = false
    if (isClosed) closeClient()
    else next = setTimeout(keepListening, pause)
  }

  async function begin(on: Host) {
    closeClient()
    host = on
    client = newClient(on, deadlines)
    await requireSession(client, hosts, deadlines)
    await within(
      listenMs,
      client.listen(CHANNEL, onNotify, () => onChange()),
    )
  }

  /** There and back on that connection. */
  async function check(listening: SQL) {
    const subscription = await within(
      listenMs,
      listening.listen(CHECK_CHANNEL, () => {}),
    )
    await within(listenMs, subscription.unlisten())
  }

  function closeClient() {
    void client?.close({ timeout: 0 }).catch(() => {})
    client = undefined
  }

  void keepListening()
  return () => {
    isClosed = true
    clearInterval(safety)
    clearTimeout(next)
    closeClient()
  }
}
