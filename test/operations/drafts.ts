import { expect } from 'bun:test'
import { type Cast, nothing, ofSubject, post, someRecords, thread } from './cast'
import type { Done, Entries } from './entry'
import { authorOnly, readOwn, writeOwn } from './rules'

const draft = async (cast: Cast) =>
  cast.author.drafts.save({ ...(await ofSubject(post)(cast)), content_markdown: 'I thi' })
const ofDraft = async (cast: Cast) => ({ subject_id: (await draft(cast)).subject_id })

const change =
  (version: number, is_deleted: boolean) =>
  ({ input }: Done<'drafts.save' | 'drafts.delete' | 'drafts.deleteOther'>) => ({
    subject_id: input.subject_id,
    version,
    is_deleted,
  })

export const drafts: Entries<'drafts'> = {
  'drafts.list': { input: (cast) => draft(cast).then(nothing), rule: readOwn('self'), check: someRecords },
  'drafts.get': {
    input: ofDraft,
    rule: readOwn('self', { except: authorOnly }),
    check: ({ content_markdown }) => expect(content_markdown).toBe('I thi'),
  },
  'drafts.save': {
    input: async (cast) => ({ ...(await ofDraft(cast)), content_markdown: 'I think' }),
    rule: writeOwn('channel'),
    check: ({ content_markdown }) => expect(content_markdown).toBe('I think'),
    events: { 'draft.updated': change(2, false) },
    again: 'no event',
    also: {
      'in a thread': {
        input: async (cast) => ({ ...(await ofSubject(thread)(cast)), content_markdown: 'I thi' }),
        rule: writeOwn('thread'),
        events: { 'draft.updated': change(1, false) },
        again: 'no event',
      },
    },
    random: ({ subject, text }) => ({ subject_id: subject(), content_markdown: text() }),
  },
  'drafts.delete': {
    input: ofDraft,
    rule: writeOwn('self'),
    events: { 'draft.updated': change(2, true) },
    again: 'no event',
    random: ({ subject }) => ({ subject_id: subject() }),
  },
  'drafts.deleteOther': {
    async input(cast) {
      const { subject_id, version } = await draft(cast)
      await cast.author.drafts.save({ subject_id, content_markdown: 'We think' })
      return { subject_id, version }
    },
    rule: writeOwn('self'),
    events: { 'draft.updated': change(2, false) },
    again: 'no event',
    random: 'none: it needs two versions of a draft',
  },
}
