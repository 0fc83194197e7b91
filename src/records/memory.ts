import type { Place } from '../store/post-ranges'
import { type Kind, kinds, looseSheet, type NewSheet, openShelf, type Sheet, type Shelf } from './shelf'

const MOST_PLACES = 10_000

/**
 * What was read of a workspace before. All of it is as of one revision of the workspace, or newer: whoever comes with a
 * newer revision first has it catch up by the log, see `catch-up.ts`.
 */
export interface Recollection {
  revision: number
  /** Only sheets of the present era count. */
  eras: Record<Kind, number>
  /** Where authors may look. */
  places: Map<number, readonly Place[]>
}

export function openMemory(mostBytes: number) {
  const shelf = openShelf(mostBytes)
  const workspaces = new Map<number, Recollection>()
  let lastEra = 0

  const startOver = (workspaceKey: number, revision: number) => {
    const era = ++lastEra
    const eras = Object.fromEntries(kinds.map((kind) => [kind, era])) as Record<Kind, number>
    workspaces.set(workspaceKey, { revision, eras, places: new Map() })
  }
  return {
    revisionOf: (workspaceKey: number) => workspaces.get(workspaceKey)?.revision,
    startOver,
    /** Moves on to a newer revision, without the records that changed on the way. */
    moveOn(workspaceKey: number, revision: number, changed: { ids: readonly string[]; kinds: readonly Kind[] }) {
      const recollection = workspaces.get(workspaceKey)
      if (!recollection || recollection.revision >= revision) return
      for (const id of changed.ids) shelf.drop(id)
      for (const kind of changed.kinds) recollection.eras[kind] = ++lastEra
      recollection.places.clear()
      recollection.revision = revision
    },
    /** What a request may use that came in at this revision. */
    asOf: (workspaceKey: number, authorKey: number, revision: number) =>
      new Recall(shelf, workspaces.get(workspaceKey), authorKey, revision),
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
    private readonly revision: number,
  ) {}

  /** Finds nothing and keeps nothing. */
  static readonly none = new Recall(openShelf(0), undefined, 0, 0)

  private get present(): Recollection | undefined {
    return this.recollection?.revision === this.revision ? this.recollection : undefined
  }

  /** Where the viewer may look. */
  get places(): readonly Place[] | undefined {
    return this.present?.places.get(this.authorKey)
  }

  set places(places: readonly Place[]) {
    const { present } = this
    if (present && present.places.size < MOST_PLACES) present.places.set(this.authorKey, places)
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

  keep(sheet: NewSheet, record: object): Sheet {
    const { present } = this
    return present ? this.shelf.put(sheet, present.eras[sheet.kind], record) : looseSheet(sheet, record)
  }
}
