/** The kinds of records that are remembered. */
export const kinds = ['post', 'comment', 'message', 'member'] as const
export type Kind = (typeof kinds)[number]

/** A record as it is sent, with what lists need of it besides. */
export interface Sheet {
  kind: Kind
  key: number
  id: string
  /** When it was put here, as its workspace counts. */
  era: number
  /** What it is sorted by, and what decides who may see it. */
  facts: Readonly<Record<string, number>>
  bytes: Uint8Array<ArrayBuffer>
}

/** What a sheet costs besides its bytes, about. */
const OVERHEAD = 400

/** Sheets by their key and by their id. Once they take too much room, those that came first go. */
export function openShelf(mostBytes: number) {
  const byKey = new Map<number, Sheet>()
  const byId = new Map<string, Sheet>()
  let bytes = 0

  const remove = (sheet: Sheet) => {
    byKey.delete(slotOf(sheet.kind, sheet.key))
    byId.delete(sheet.id)
    bytes -= sheet.bytes.length + OVERHEAD
  }
  return {
    withKey: (kind: Kind, key: number): Sheet | undefined => byKey.get(slotOf(kind, key)),
    withId: (id: string): Sheet | undefined => byId.get(id),
    put(sheet: Sheet) {
      const before = byId.get(sheet.id)
      if (before) remove(before)
      byKey.set(slotOf(sheet.kind, sheet.key), sheet)
      byId.set(sheet.id, sheet)
      bytes += sheet.bytes.length + OVERHEAD
      for (const oldest of byKey.values()) {
        if (bytes <= mostBytes) return
        remove(oldest)
      }
    },
    drop(id: string) {
      const sheet = byId.get(id)
      if (sheet) remove(sheet)
    },
  }
}

export type Shelf = ReturnType<typeof openShelf>

/** Keys count each table by itself: together with the kind they are one number again. */
const slotOf = (kind: Kind, key: number): number => key * kinds.length + kinds.indexOf(kind)
