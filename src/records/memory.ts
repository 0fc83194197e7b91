import { isSamePosition, type Position } from '../domain/position'
import { type List, type ListChange, type ListName, Lists } from './lists'
import { type Kind, kinds, looseSheet, type NewSheet, openShelf, type Passage, type Sheet, type Shelf } from './shelf'

const MOST_NOTES = 10_000
/** How much of what is remembered goes to the order of lists. */
const LISTS_SHARE = 1 / 16

/**
 * What was read of a workspace before. All of it is as of one revision of the workspace, or newer: whoever comes with a
 * newer revision first has it catch up by the log, see `catch-up.ts`.
 */
export interface Recollection {
  position: Position
  /** Only sheets of the present era count. */
  eras: Record<Kind, number>
  /** Small things that were looked up at this very revision: where someone may look, how many there are. */
  notes: Map<string, unknown>
  lists: Lists
}

/** What events say has changed. */
export interface Changes {
  ids: readonly string[]
  kinds: readonly Kind[]
  lists: readonly ListChange[]
}

export function openMemory(mostBytes: number) {
  const shelf = openShelf(mostBytes * (1 - LISTS_SHARE))
  const workspaces = new Map<number, Recollection>()
  let lastEra = 0
  let bytesOfLists = 0

  const room = {
    take(bytes: number) {
      bytesOfLists += bytes
      if (bytesOfLists > mostBytes * LISTS_SHARE) for (const { lists } of workspaces.values()) lists.clear()
    },
  }

  const startOver = (workspaceKey: number, position: Position) => {
    const era = ++lastEra
    const eras = Object.fromEntries(kinds.map((kind) => [kind, era])) as Record<Kind, number>
    workspaces.get(workspaceKey)?.lists.clear()
    workspaces.set(workspaceKey, { position, eras, notes: new Map(), lists: new Lists(room) })
  }
  return {
    positionOf: (workspaceKey: number) => workspaces.get(workspaceKey)?.position,
    startOver,
    /** Moves on to a newer revision, without the records that changed on the way. */
    moveOn(workspaceKey: number, position: Position, changed: Changes) {
      const recollection = workspaces.get(workspaceKey)
      if (!recollection || recollection.position.revision >= position.revision) return
      for (const id of changed.ids) shelf.drop(id)
      for (const kind of changed.kinds) recollection.eras[kind] = ++lastEra
      for (const change of changed.lists) recollection.lists.change(change)
      recollection.notes.clear()
      recollection.position = position
    },
    /** What a request may use that came in at this revision. */
    asOf: (workspaceKey: number, authorKey: number, position: Position) =>
      new Recall(shelf, workspaces.get(workspaceKey), authorKey, position),
  }
}

export type Memory = ReturnType<typeof openMemory>

/**
 * The memory of a workspace, for one request. It finds and keeps something only while the memory is at the revision the
 * request came in at; once others have moved it on, what this request read may be older than what it holds.
 */
export class Recall {
  constructor(
    private readonly shelf: Shelf,
    private readonly recollection: Recollection | undefined,
    private readonly authorKey: number,
    private readonly position: Position,
  ) {}

  /** Finds nothing and keeps nothing. */
  static readonly none = new Recall(openShelf(0), undefined, 0, { revision: 0, nonce: 0 })

  private get present(): Recollection | undefined {
    const { recollection } = this
    return recollection && isSamePosition(recollection.position, this.position) ? recollection : undefined
  }

  /** What was noted for this viewer. */
  noted<T>(what: string): T | undefined {
    return this.present?.notes.get(this.ownNote(what)) as T | undefined
  }

  note(what: string, value: unknown) {
    const { present } = this
    if (present && present.notes.size < MOST_NOTES) present.notes.set(this.ownNote(what), value)
  }

  private ownNote(what: string): string {
    return `${this.authorKey} ${what}`
  }

  /** The same, looked up and noted where it is not yet. */
  async noting<T>(what: string, find: () => Promise<T>): Promise<T> {
    const known = this.noted<T>(what)
    if (known !== undefined) return known
    const found = await find()
    if (found !== undefined) this.note(what, found)
    return found
  }

  /** What is known of the order of a list. */
  list(name: ListName): List | undefined {
    return this.present?.lists.find(name)
  }

  /** Keeps that these follow each other, as of the revision of the request. */
  link(name: ListName, keys: readonly number[], scan: 'asc' | 'desc', latest: number) {
    this.present?.lists.link(name, keys, scan, latest)
  }

  /** The record with this key, whoever may see it. */
  withKey(kind: Kind, key: number): Sheet | undefined {
    return this.ifPresent(this.shelf.withKey(kind, key))
  }

  withId(id: string): Sheet | undefined {
    return this.ifPresent(this.shelf.withId(id))
  }

  private ifPresent(sheet: Sheet | undefined): Sheet | undefined {
    return sheet && sheet.era === this.present?.eras[sheet.kind] ? sheet : undefined
  }

  /** The text of these records, one after the other; undefined where one of them is not remembered. */
  passages(kind: Kind, keys: readonly number[]): Passage[] | undefined {
    const { present } = this
    return present && this.shelf.passages(kind, keys, present.eras[kind])
  }

  keep(sheet: NewSheet, record: object): Sheet {
    const { present } = this
    return present ? this.shelf.put(sheet, present.eras[sheet.kind], record) : looseSheet(sheet, record)
  }
}
