/** Which servers will do. `read-write` is one that takes writes, `primary` one that is no standby. */
const sessions = ['any', 'read-write', 'primary'] as const
type Session = (typeof sessions)[number]

export interface Host {
  /** Its name and port as in the URL, for messages. */
  name: string
  /** The URL of this host alone. */
  url: string
}

export interface PostgresUrl {
  hosts: Host[]
  needs: Session
  /** As one may print it: no password, and no options, which may hold one, too. */
  location: string
}

/** An @ in the path would be after a password with a slash in it, of which a part would be taken for a port. */
const URL_PARTS =
  /^(?<scheme>postgres(?:ql)?:\/\/)(?:(?<user>[^/?#]*)@)?(?<hosts>[^/?#@]*)(?<path>\/[^?#@]+)(?<rest>(?:[?#].*)?)$/s

/** Reads a URL with one or, as libpq has it, several hosts: `postgres://user:password@db1:5432,db2/parley`. */
export function parsePostgresUrl(text: string): PostgresUrl | undefined {
  const parts = text.match(URL_PARTS)?.groups as
    | Record<'scheme' | 'user' | 'hosts' | 'path' | 'rest', string>
    | undefined
  if (!parts) return undefined
  const { scheme, user, path, rest } = parts
  const named = parts.hosts.split(',').map(decodeLetters)
  const hosts = named.map((name) => ({
    name: decode(name) ?? '',
    url: `${scheme}${user === undefined ? '' : `${user}@`}${name}${path}${rest}`,
  }))
  const isSeveral = hosts.length > 1
  if (!hosts.every(({ name, url }) => URL.canParse(url) && !(isSeveral && name === ''))) return undefined
  if (decode(path) === undefined || named.some((name) => decode(name) === undefined)) return undefined
  const options = new URL(hosts[0]!.url).searchParams
  // The driver would take them for every host.
  if (isSeveral && (options.has('host') || options.has('port'))) return undefined
  if (options.get('host')?.includes(',')) return undefined
  const asked = options.getAll('target_session_attrs')
  if (!asked.every((each): each is Session => sessions.includes(each as Session))) return undefined
  const printedUser = user === undefined ? '' : `${user.replace(/:.*$/s, ':***')}@`
  return {
    hosts,
    needs: asked.at(-1) ?? (isSeveral ? 'read-write' : 'any'),
    location: `${scheme}${printedUser}${named.join()}${path}`,
  }
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

/** The driver does not decode the letters of a host name. */
const decodeLetters = (host: string) =>
  host.replace(/%[2-7][\da-f]/gi, (code) => decodeURIComponent(code).match(/^[\w.~-]$/)?.[0] ?? code)

/** What the server says of a session. */
export interface SessionState {
  is_standby: boolean
  is_read_only: boolean
}

/** What to ask a server for, so that `require` can decide. */
export const SESSION_STATE =
  "pg_is_in_recovery() AS is_standby, current_setting('transaction_read_only') = 'on' AS is_read_only"

/** The server takes no writes, so it is not the one to use. */
export class ReadOnlyHost extends Error {
  override name = 'ReadOnlyHost'
}

/** No host could be used. */
export class NoHost extends Error {
  override name = 'NoHost'
  constructor(readonly failures: readonly { host: Host; error: unknown }[]) {
    super(failures.map(({ host, error }) => `${host.name}: ${(error as Error).message}`).join('; '))
  }
}

/** After no host was found, the next search begins only now: many requests together must not keep the servers busy. */
const REST_MS = 100

/** Called with the host that is used from now on, and the one before. */
export type OnHost = (name: string, before: string | undefined) => void

export type Hosts = ReturnType<typeof openHosts>

/**
 * Chooses the host for new connections, as libpq does: the first that will do, beginning with the one that worked last. All
 * connections are to one host, `current`; when it changes, connections to other hosts must be closed.
 */
export function openHosts({ hosts, needs, location }: PostgresUrl, onHost: OnHost = () => {}) {
  let first = 0
  let current: Host | undefined
  let searching: Promise<unknown> | undefined

  async function tryEach<T>(open: (host: Host) => Promise<T>): Promise<T> {
    const failures: { host: Host; error: unknown }[] = []
    const inOrder = [...hosts.slice(first), ...hosts.slice(0, first)]
    for (const host of inOrder) {
      try {
        const opened = await open(host)
        first = hosts.indexOf(host)
        if (current !== host && hosts.length > 1) onHost(host.name, current?.name)
        current = host
        return opened
      } catch (error) {
        failures.push({ host, error })
      }
    }
    throw hosts.length === 1 ? failures[0]!.error : new NoHost(failures)
  }

  /** One search at a time. Concurrent callers share its failure, or go on to the host it found. */
  function connect<T>(open: (host: Host) => Promise<T>): Promise<T> {
    if (hosts.length === 1) return tryEach(open)
    if (searching) return searching.then(() => connect(open))
    const search = tryEach(open)
    searching = search
    const end = () => {
      searching = undefined
    }
    search.then(end, () => setTimeout(end, REST_MS))
    return search
  }

  return {
    location,
    connect,
    current: () => current,
    /** Throws if a server is not one to use. */
    require({ is_standby, is_read_only }: SessionState) {
      if (needs === 'any' || !(is_standby || (needs === 'read-write' && is_read_only))) return
      throw new ReadOnlyHost(is_standby ? 'is a standby' : 'is read-only (default_transaction_read_only)')
    },
    /** Whether a server that no longer takes writes is left for another. */
    isLeftWhenReadOnly: needs !== 'any',
    /** A connection to this host was lost, or it takes no writes: the next connection begins with another. */
    leave(host: Host) {
      if (hosts[first] === host) first = (first + 1) % hosts.length
    },
  }
}
