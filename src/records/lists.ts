import type { Direction } from '../contract/page'
import { NumberMap } from './number-map'
import type { Kind } from './shelf'

/** Which list it is: of what, whose, in which order, and which of them. */
export interface ListName {
  kind: Kind
  /** The post or the thread they belong to; empty where they are the workspace's. */
  of: string
  sort: string
  filter: string
  /** What happens to a record may move it in this list, or into it and out of it. */
  isRestless?: boolean
}

/** What happened to the lists of a kind. Without `grewAt` nobody knows how they go on. */
export interface ListChange {
  kind: Kind
  of: string
  /** They have one more, and this is what it is sorted by: a time. */
  grewAt?: number
  /** It happened to the restless ones only. */
  toRestless?: boolean
}

/** Stands before the first record and after the last, so that a list is a ring. */
export const END = 0

/** What a list takes besides its links, about. */
const LIST_BYTES = 1_000

/**
 * What is known of the order of a list: which record follows which. Every page that was read adds to it, and pages that
 * were read one after the other grow together. So a list is known as far as people went, and memory is only taken by that.
 */
export class List {
  private readonly following = { asc: new NumberMap(), desc: new NumberMap() }
  /** No record that is linked here comes later than this. */
  private latest = Number.NEGATIVE_INFINITY

  constructor(readonly isRestless: boolean) {}

  get bytes(): number {
    return LIST_BYTES + this.following.asc.bytes + this.following.desc.bytes
  }

  has(key: number): boolean {
    return this.following.asc.get(key) !== undefined || this.following.desc.get(key) !== undefined
  }

  /** So many records from one on, or fewer where the list ends; undefined where that is not known. */
  from(start: number, scan: Direction, count: number): number[] | undefined {
    const following = this.following[scan]
    const keys: number[] = []
    let key: number | undefined = start
    while (keys.length < count) {
      key = following.get(key)
      if (key === undefined) return undefined
      if (key === END) break
      keys.push(key)
    }
    return keys
  }

  /** These follow each other, and none of them comes later than `latest`. */
  link(keys: readonly number[], scan: Direction, latest: number) {
    const [there, back] = scan === 'asc' ? (['asc', 'desc'] as const) : (['desc', 'asc'] as const)
    for (let at = 1; at < keys.length; at++) {
      this.following[there].set(keys[at - 1]!, keys[at]!)
      this.following[back].set(keys[at]!, keys[at - 1]!)
    }
    this.latest = Math.max(this.latest, latest)
  }

  /** One more came, later than all that is known here; false if it did not, and may be anywhere. */
  grow(at: number): boolean {
    if (!(at > this.latest)) return false
    const { asc, desc } = this.following
    const last = desc.get(END)
    desc.delete(END)
    if (last !== undefined) asc.delete(last)
    return true
  }
}

/** All lists of all workspaces take their room from here. */
export interface Room {
  take(bytes: number): void
}

/** What is known of the lists of one workspace, as of its revision. */
export class Lists {
  private readonly groups = new Map<string, Map<string, List>>()

  constructor(private readonly room: Room) {}

  find(name: ListName): List | undefined {
    return this.groups.get(groupOf(name))?.get(nameIn(name))
  }

  /** Adds a run of records to what is known of a list. */
  link(name: ListName, keys: readonly number[], scan: Direction, latest: number) {
    const group = this.groups.getOrInsertComputed(groupOf(name), () => new Map())
    const known = group.get(nameIn(name))
    const before = known?.bytes ?? 0
    const list = known ?? new List(name.isRestless ?? false)
    group.set(nameIn(name), list)
    list.link(keys, scan, latest)
    this.room.take(list.bytes - before)
  }

  change(change: ListChange) {
    const lists = this.groups.get(groupOf(change))
    if (!lists) return
    for (const [name, list] of lists) {
      if (change.toRestless && !list.isRestless) continue
      if (change.grewAt !== undefined && list.grow(change.grewAt)) continue
      lists.delete(name)
      this.room.take(-list.bytes)
    }
  }

  clear() {
    for (const lists of this.groups.values()) for (const list of lists.values()) this.room.take(-list.bytes)
    this.groups.clear()
  }
}

const groupOf = ({ kind, of }: { kind: Kind; of: string }) => `${kind} ${of}`
const nameIn = ({ sort, filter }: ListName) => `${sort} ${filter}`
