/** The kinds of records that an id alone can refer to, with the prefixes of their ids. */
export const idPrefixes = {
  post: 'post',
  comment: 'cmt',
  message: 'msg',
  thread: 'thr',
  channel: 'chan',
  member: 'mem',
  app: 'app',
  group: 'group',
} as const

export type Kind = keyof typeof idPrefixes

const kinds: ReadonlyMap<string, Kind> = new Map(
  Object.entries(idPrefixes).map(([kind, prefix]) => [`${prefix}_`, kind as Kind]),
)

/** What an id refers to; undefined for ids of other records, and for what is not an id. */
export const kindOf = (id: string): Kind | undefined => kinds.get(id.slice(0, id.indexOf('_') + 1))
