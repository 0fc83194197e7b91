import Type, { type Static } from 'typebox'
import { operation } from './operation'
import { Body, Id, listQuery, Page, Shape, TextOrNull, Timestamp } from './page'

/** How many drafts a member can have, and how many other versions of each are kept. */
export const MAX_DRAFTS = 200
export const MAX_OTHER_VERSIONS = 5

/** The place of a new post that has no channel yet. */
export const NO_PLACE = 'new'

const version = Type.Integer({
  minimum: 1,
  description: 'Grows with every change. Send it with the next save, so that the server knows what you saw.',
})
const text = {
  title: Type.String({ description: 'The title of a post; empty for everything else.' }),
  content_markdown: Type.String({
    description: 'Markdown; empty for a post with only a title, and where only other versions are left.',
  }),
  version,
  updated_at: Timestamp,
}

export const DraftVersion = Shape(
  'DraftVersion',
  text,
  'A text that another device had saved, when a device that had not seen it saved its own.',
)
export type DraftVersion = Static<typeof DraftVersion>

export const Draft = Shape('Draft', {
  subject_id: Type.String({
    description:
      'The channel (`chan_…`) of a new post, or `new` for none yet; the post or comment (`post_…`, `cmt_…`) that it answers; the thread (`thr_…`) or, before there is one, the member (`mem_…`) that it is for.',
  }),
  ...text,
  others: Type.Array(DraftVersion, {
    maxItems: MAX_OTHER_VERSIONS,
    description: `Texts of other devices that this one replaced before they had been seen, the newest first; at most ${MAX_OTHER_VERSIONS}.`,
  }),
})
export type Draft = Static<typeof Draft>

/** What changed in your drafts. */
export const DraftChange = Shape('DraftChange', {
  subject_id: Id,
  version,
  is_deleted: Type.Boolean({ description: 'The draft is gone: it was sent or discarded.' }),
})
export type DraftChange = Static<typeof DraftChange>

const DraftSubject = Type.String({
  minLength: 1,
  maxLength: 100,
  description:
    'Where the text is for: a channel (`chan_…`), or `new` for a post without a channel yet; a post (`post_…`), a comment (`cmt_…`), a thread (`thr_…`) or a member (`mem_…`).',
})
const bySubject = Type.Object({ subject_id: DraftSubject })

export const drafts = {
  list: operation({
    method: 'GET',
    path: '/v2/drafts',
    summary: 'List your drafts.',
    description: `Lists what you have begun to write, the latest change first. A member has at most ${MAX_DRAFTS} drafts, and nobody else sees them.`,
    access: 'read',
    query: listQuery(['updated_at'], 'desc', {}),
    output: Page(Draft),
    errors: ['invalid_cursor', 'forbidden'],
    volatile: true,
  }),
  get: operation({
    method: 'GET',
    path: '/v2/drafts/:subject_id',
    summary: 'Get your draft for one place.',
    description: 'You can get it even if what it is for was deleted, or you lost access to it.',
    access: 'read',
    params: bySubject,
    output: Draft,
    errors: ['not_found', 'forbidden'],
    volatile: true,
  }),
  save: operation({
    method: 'PUT',
    path: '/v2/drafts/:subject_id',
    summary: 'Save your draft for one place.',
    description:
      'What is saved last wins. If another device has saved a different text since the `version` you send, that text is kept in `others`. You must be able to see the place when you save the draft first; later saves always work.',
    access: 'read',
    tokenScope: 'write',
    params: bySubject,
    body: Body({
      title: Type.Optional(TextOrNull({ maxLength: 300, description: 'The title of a post.' })),
      content_markdown: Type.Optional(
        TextOrNull({
          maxLength: 100_000,
          description: 'Markdown (GFM). May be null, empty or left out in a post with a title.',
        }),
      ),
      version: Type.Optional(
        Type.Integer({ minimum: 0, description: 'The version you saw last. Left out or 0: you have seen none.' }),
      ),
    }),
    output: Draft,
    errors: ['not_found', 'forbidden', 'too_many_drafts'],
  }),
  delete: operation({
    method: 'DELETE',
    path: '/v2/drafts/:subject_id',
    summary: 'Delete your draft for one place.',
    description:
      'With `version`, only the text you saw is deleted: a newer one is kept, with 409, and so are other versions, as a draft without a text of its own. Without it, everything is deleted. If there is no draft, nothing changes.',
    access: 'read',
    tokenScope: 'write',
    params: bySubject,
    query: Type.Object({
      version: Type.Optional(Type.Integer({ minimum: 1, description: 'The version you saw last.' })),
    }),
    errors: ['not_found', 'forbidden', 'draft_changed'],
  }),
  deleteOther: operation({
    method: 'DELETE',
    path: '/v2/drafts/:subject_id/others',
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
