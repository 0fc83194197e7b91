import type { Channel } from '../../src/contract/channels'
import { aboutOf, type InboxEntry, type InboxReason } from '../../src/contract/inbox'
import type { Me, Preferences } from '../../src/contract/me'
import type { Workspace } from '../../src/contract/workspace'
import type { Answers } from './answers'

interface Difference {
  paths: RegExp
  /** The path that has it now. */
  path?: (path: string) => string
  /** What 0.2.0 answered, as this version does. */
  body?: (body: never) => unknown
  /** What this version answers, without what 0.2.0 did not have. */
  known?: (body: never) => unknown
}

interface Entry {
  id: string
  reason: InboxReason
  read_at: string | null
  item_id: string | null
}
/** Of a resolution, it is now the comment that answers the post. */
const withoutAnswer = <E extends { about: string; item_id: string | null }>(entry: E) =>
  entry.about === 'resolution' ? { ...entry, item_id: null } : entry
const toEntry = ({ read_at, ...entry }: Entry) =>
  withoutAnswer({ ...entry, about: aboutOf[entry.reason], is_unread: read_at === null })
const knownOf = ({ others_count, group, emoji, emoji_url, item_is_own, subject, ...entry }: InboxEntry) => {
  const { is_own, ...known } = subject
  return withoutAnswer({ ...entry, subject: known })
}
/** What a reaction had replaced, and had to be put back when the reaction was removed, has an entry of its own now. */
const wasHidden = ({ about, item_id }: InboxEntry) =>
  about === 'mention' && item_id === 'cmt_01m6b5cke1e3ma63fss0s8092e'

type File = { content_type: string }
const toFile = (file: File) => ({ ...file, keeps_metadata: file.content_type !== 'image/png' })

const knownWorkspace = ({ channel_mentions, members_create_channels, ...known }: Workspace) => known
const knownChannel = ({ is_default, creator_id, ...known }: Channel) => known

function knownData(type: string, data: never): object {
  if (type === 'workspace.updated') return knownWorkspace(data)
  if (type.startsWith('channel.member_'))
    return { ...(data as object), channel: knownChannel((data as { channel: Channel }).channel) }
  return type.startsWith('channel.') ? knownChannel(data) : data
}

/** What has changed in answers since 0.2.0, each as the changelog says. Everything else has to be the same. */
const differences: readonly Difference[] = [
  {
    paths: /^\/v2\/(posts|comments|messages)\/[^/]+\/reactions/,
    path: (path) => path.replace(/^\/v2\/\w+\/([^/]+)\/reactions/, '/v2/reactions/$1'),
  },
  {
    paths: /^\/v2\/files(\?|\/file_)/,
    body: (body: File | { data: File[] }) => ('data' in body ? { ...body, data: body.data.map(toFile) } : toFile(body)),
  },
  {
    paths: /^\/v2\/channels(\?|$|\/[^/]+$)/,
    known: (body: Channel | { data: Channel[] }) =>
      'data' in body ? { ...body, data: body.data.map(knownChannel) } : knownChannel(body),
  },
  {
    paths: /^\/v2\/events\?/,
    known: (body: { data: { type: string; data: never }[] }) => ({
      ...body,
      data: body.data.map((event) => ({ ...event, data: knownData(event.type, event.data) })),
    }),
  },
  {
    paths: /^\/v2\/me\/preferences$/,
    known: ({ folded_sections, writes_markdown, ...known }: Preferences) => known,
  },
  { paths: /^\/v2\/workspace$/, known: knownWorkspace },
  { paths: /^\/v2\/me$/, known: ({ workspace, ...me }: Me) => ({ ...me, workspace: knownWorkspace(workspace) }) },
  {
    paths: /^\/v2\/inbox\?/,
    path: (path) => path.replace('reason=', 'about='),
    body: ({ data }: { data: Entry[] }) => data.map(toEntry),
    known: ({ data }: { data: InboxEntry[] }) => data.filter((entry) => !wasHidden(entry)).map(knownOf),
  },
]

/** What this version has to answer, if 0.2.0 answered this. */
export function expectedNow(answers: Answers): Answers {
  return Object.fromEntries(
    Object.entries(answers).map(([path, answered]) => {
      const ours = differences.filter(({ paths }) => paths.test(path))
      return [
        ours.reduce((each, { path: change }) => change?.(each) ?? each, path),
        answered.map(({ callers, status, body }) => ({
          callers,
          status,
          body: status === 200 ? ours.reduce((each, { body: change }) => change?.(each as never) ?? each, body) : body,
        })),
      ]
    }),
  )
}

/** What this version answered, as far as 0.2.0 could. */
export const asKnown = (answers: Answers): Answers =>
  Object.fromEntries(
    Object.entries(answers).map(([path, answered]) => {
      const ours = differences.filter(({ paths }) => paths.test(path))
      const known = (body: unknown) => ours.reduce((each, { known: change }) => change?.(each as never) ?? each, body)
      return [
        path,
        answered.map(({ callers, status, body }) => ({ callers, status, body: status === 200 ? known(body) : body })),
      ]
    }),
  )
