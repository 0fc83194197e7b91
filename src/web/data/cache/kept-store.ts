// The first paint opens the database before the web app is loaded, and needs nothing else of its data.
/** Whose responses are kept, of which build of the app, and up to which event they hold nothing that is gone. */
export interface KeptFor {
  account: string
  build: string
  position: string
}

/** The response of one query, as JSON. */
export interface KeptQuery {
  /** The key of the query, as JSON. */
  hash: string
  json: string
  /** When the server confirmed it last. */
  at: number
  size: number
}

export interface Kept {
  for: KeptFor
  queries: KeptQuery[]
}

declare global {
  interface Window {
    /** What the page reads while the scripts of the app are still loading. */
    kept?: Promise<Kept | undefined>
  }
}

const DATABASE = 'parley'
const QUERIES = 'queries'
const FOR = 'for'
export const BY_AGE = 'by age'
/** The key of the only record in `FOR`. */
export const ONLY = 0

export const MAX_AGE_MS = 7 * 86_400_000

/** The clock may be set back a little. What is from later than that could be of any age. */
const MAX_AHEAD_MS = 3_600_000

/** In local storage: false if the member wants nothing to be kept on this device. */
export const SETTING = 'keep'

function open(): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(DATABASE, 1)
    request.onupgradeneeded = () => {
      // The first number of the index is the age, the second the size.
      request.result.createObjectStore(QUERIES, { keyPath: 'hash' }).createIndex(BY_AGE, ['at', 'size'])
      request.result.createObjectStore(FOR)
    }
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
    request.onblocked = () => reject(new Error('The database is in use.'))
  })
}

/** Runs requests in one transaction, and resolves when they are on the disk. */
export async function transact<T>(mode: IDBTransactionMode, run: (stores: Stores) => T): Promise<T> {
  const database = await open()
  try {
    return await new Promise((resolve, reject) => {
      const transaction = database.transaction([QUERIES, FOR], mode)
      const result = run({ queries: transaction.objectStore(QUERIES), keptFor: transaction.objectStore(FOR) })
      transaction.oncomplete = () => resolve(result)
      transaction.onabort = () => reject(transaction.error)
    })
  } finally {
    database.close()
  }
}

export interface Stores {
  queries: IDBObjectStore
  keptFor: IDBObjectStore
}

/** What is kept and not too old; undefined if there is nothing, or no database. */
export async function readKept(): Promise<Kept | undefined> {
  try {
    const [kept, queries] = await transact(
      'readonly',
      (stores) =>
        [
          stores.keptFor.get(ONLY) as IDBRequest<KeptFor | undefined>,
          stores.queries
            .index(BY_AGE)
            .getAll(IDBKeyRange.bound([Date.now() - MAX_AGE_MS], [Date.now() + MAX_AHEAD_MS])) as IDBRequest<
            KeptQuery[]
          >,
        ] as const,
    )
    return kept.result && { for: kept.result, queries: queries.result }
  } catch {
    return undefined
  }
}

export async function readKeptFor(): Promise<KeptFor | undefined> {
  try {
    const read = await transact('readonly', ({ keptFor }) => keptFor.get(ONLY) as IDBRequest<KeptFor | undefined>)
    return read.result
  } catch {
    return undefined
  }
}

/** Erases all that is kept. No tab stores anything before the app is opened again. */
export const eraseKept = (): Promise<unknown> =>
  transact('readwrite', ({ queries, keptFor }) => {
    queries.clear()
    keptFor.clear()
  }).catch(() => undefined)
