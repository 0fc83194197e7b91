import Type, { type Static } from 'typebox'
import { operation } from './operation'
import { Body, Id, listQuery, MAX_TEXT_LENGTH, Nullable, Page, Shape, TextOrNull, Timestamp } from './shapes'

/** How many drafts a member can have, and how many other versions of each are kept. */
export const MAX_DRAFTS = 200
export const MAX_OTHER_VERSIONS = 5

const version = Type.Integer({
  minimum: 1,
  description: 'Increases with every change. Send it with the next save, so that the server knows which text you saw.',
})
const text = {
  title: Type.String({ description: 'The title of a post; empty for everything else.' }),
  content_markdown: Type.String({
    description:
      'Markdown. It is empty for a post that has only a title, and if only other versions of the draft are left.',
  }),
  version,
  updated_at: Timestamp,
}

export const DraftVersion = Shape(
  'DraftVersion',
  text,
  'A text of another device, which was replaced by a device that had not seen it.',
)
export type DraftVersion = Static<typeof DraftVersion>

const draft = {
  subject_id: Type.String({
    description:
      'The place that the text is for: the channel (`chan_…`) of a new post, or `new` if no channel was chosen yet; the post (`post_…`) of a comment; the comment (`cmt_…`) of a reply; the thread (`thr_…`) of a message, or the member (`mem_…`) if there is no thread yet.',
  }),
  ...text,
  others: Type.Array(DraftVersion, {
    maxItems: MAX_OTHER_VERSIONS,
    description: `Texts of other devices that were replaced by a device that had not seen them, newest first; at most ${MAX_OTHER_VERSIONS}.`,
  }),
}
export const Draft = Shape('Draft', draft)
export type Draft = Static<typeof Draft>

export const DraftPlace = Shape('DraftPlace', {
  name: Type.String({
    description:
      'The name of the channel or the member, or the title of the post or the thread; for a direct message, the name of the other member.',
  }),
  post_id: Nullable(Id, 'The post, for a comment or a reply.'),
  author_name: Nullable(Type.String(), 'The author of the comment, for a reply.'),
})
export type DraftPlace = Static<typeof DraftPlace>

export const ListedDraft = Shape('ListedDraft', {
  ...draft,
  place: Nullable(DraftPlace, 'Null for `new`, and if what the draft is for was deleted or you can no longer see it.'),
})
export type ListedDraft = Static<typeof ListedDraft>

/** Which of your drafts changed. */
export const DraftChange = Shape('DraftChange', {
  subject_id: Id,
  version,
  is_deleted: Type.Boolean({ description: 'Whether the draft was deleted, because it was sent or discarded.' }),
})
export type DraftChange = Static<typeof DraftChange>

const DraftSubject = Type.String({
  minLength: 1,
  maxLength: 100,
  description:
    'The place that the text is for: a channel (`chan_…`), `new` for a post without a channel yet, a post (`post_…`), a comment (`cmt_…`), a thread (`thr_…`) or a member (`mem_…`).',
})
const bySubject = Type.Object({ subject_id: DraftSubject })

export const drafts = {
  list: operation({
    method: 'GET',
    path: '/v2/drafts',
    depends: 'nothing',
    summary: 'List your drafts.',
    description: `Lists the texts that you have not sent yet, most recently changed first. A member can have up to ${MAX_DRAFTS} drafts, and nobody else can see them.`,
    access: 'read',
    query: listQuery(['updated_at'], 'desc', {}),
    output: Page(ListedDraft),
    errors: ['invalid_cursor', 'forbidden'],
  }),
  get: operation({
    method: 'GET',
    path: '/v2/drafts/:subject_id',
    depends: 'nothing',
    summary: 'Get your draft for one place.',
    description: 'You can still get the draft if its place was deleted, or if you lost access to it.',
    access: 'read',
    params: bySubject,
    output: Draft,
    errors: ['not_found', 'forbidden'],
  }),
  save: operation({
    method: 'PUT',
    path: '/v2/drafts/:subject_id',
    effect: 'personal',
    summary: 'Save your draft for one place.',
    description:
      'The last save wins. If another device has saved a different text since the `version` that you send, that text is kept in `others`. To save the first text for a place, you must be able to see the place; later saves work even if you no longer can.',
    access: 'read',
    tokenScope: 'write',
    params: bySubject,
    body: Body({
      title: Type.Optional(TextOrNull({ maxLength: 300, description: 'The title of a post.' })),
      content_markdown: Type.Optional(
        TextOrNull({
          maxLength: MAX_TEXT_LENGTH,
          description: 'Markdown (GFM). May be null, empty or left out in a post with a title.',
        }),
      ),
      version: Type.Optional(
        Type.Integer({
          minimum: 0,
          description: 'The version that you last saw. Leave it out or send 0 if you have seen none.',
        }),
      ),
    }),
    output: Draft,
    errors: ['not_found', 'forbidden', 'too_many_drafts'],
  }),
  delete: operation({
    method: 'DELETE',
    path: '/v2/drafts/:subject_id',
    effect: 'personal',
    summary: 'Delete your draft for one place.',
    description:
      'With `version`, only the text that you saw is deleted. If the draft has changed since, it is kept, and the response is 409 `draft_changed`. If the draft has other versions, they are kept, and its own text becomes empty. Without `version`, the draft and all of its versions are deleted. If there is no draft, nothing changes.',
    access: 'read',
    tokenScope: 'write',
    params: bySubject,
    query: Type.Object({
      version: Type.Optional(Type.Integer({ minimum: 1, description: 'The version that you last saw.' })),
    }),
    errors: ['not_found', 'forbidden', 'draft_changed'],
  }),
  deleteOther: operation({
    method: 'DELETE',
    path: '/v2/drafts/:subject_id/others',
    effect: 'personal',
    summary: 'Delete another version of a draft.',
    description: 'The draft stays as it is. If there is no such version, nothing changes.',
    access: 'read',
    tokenScope: 'write',
    params: bySubject,
    query: Type.Object({
      version: Type.Integer({ minimum: 1, description: 'The `version` of one of `others`.' }),
    }),
    errors: ['not_found', 'forbidden'],
  }),
}
