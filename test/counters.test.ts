import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { sql } from 'kysely'
import type { OperationName } from '../src/contract'
import type { Running } from '../src/server'
import { ApiError } from './client'
import { expectConsistent, findFaults } from './consistency'
import { insertFile } from './insert-file'
import { randomWriteNames, writeRandomly } from './operations'
import { newRandom, type RecordIds, recordIdsOf } from './random-writes'
import { startTestServer } from './server'
import { runs } from './walk'
import { type Person, type World, world } from './world'

let server: Running
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.stop())

const callers = ['root', 'ada', 'bob', 'gus', 'bot'] as const
const steps = fc.array(fc.record({ operation: fc.constantFrom(...randomWriteNames), seed: fc.nat() }), {
  maxLength: 40,
})

test('counters are correct after random concurrent writes', async () => {
  await fc.assert(
    fc.asyncProperty(fc.tuple(...callers.map(() => steps)), async (writesOfAll) => {
      const cast = await world(server)
      const records = await fillWorkspace(cast)
      await Promise.all(writesOfAll.map((writes, at) => writeAll(cast[callers[at]!], records, writes)))
      await expectConsistent(server)
    }),
    { numRuns: runs(12), endOnFailure: true },
  )
})

/** Enough records for most writes to have a target. */
async function fillWorkspace(cast: World): Promise<RecordIds> {
  const files = [await insertFile(cast, cast.root), await insertFile(cast, cast.ada), await insertFile(cast, cast.bob)]
  const records = { ...recordIdsOf(cast), files }
  await cast.root.channels.addMember({ channel_id: cast.general.id, member_id: cast.gus.id })
  const start: OperationName[] = ['channels.create', 'posts.create', 'comments.create', 'threads.create']
  for (const operation of [...start, ...start]) await writeAll(cast.root, records, [{ operation, seed: 0 }])
  return records
}

/** Writes may be refused; only internal errors fail the test. */
async function writeAll(
  who: Person,
  records: RecordIds,
  writes: readonly { operation: OperationName; seed: number }[],
) {
  for (const { operation, seed } of writes) {
    try {
      await writeRandomly(operation, who, records, newRandom(seed))
    } catch (error) {
      if (!(error instanceof ApiError) || error.status >= 500) throw error
    }
  }
}

describe('the consistency checks report', () => {
  const damages: Record<string, { by: string; reports: RegExp }> = {
    'a wrong number of posts': { by: 'UPDATE channels SET posts_count = 7', reports: /posts_count of chan_\w+ is 7/ },
    'a wrong number of resolved posts': { by: 'UPDATE channels SET resolved_count = 7', reports: /resolved_count/ },
    'a wrong number of people in a channel': {
      by: 'UPDATE channels SET members_count = 0',
      reports: /but there are 1/,
    },
    'a wrong number of comments': {
      by: 'UPDATE post_activity SET comments_count = 7',
      reports: /post_activity.comments_count/,
    },
    'a wrong number of comments at the top': {
      by: 'UPDATE post_activity SET root_comments_count = 7',
      reports: /root_comments/,
    },
    'a wrong number of replies': { by: 'UPDATE comments SET replies_count = 7', reports: /replies_count/ },
    'a wrong number of messages': { by: 'UPDATE threads SET messages_count = 7', reports: /messages_count/ },
    'a wrong number of threads': { by: 'UPDATE authors SET threads_count = 7', reports: /threads_count/ },
    'a wrong number of tokens': { by: 'UPDATE authors SET tokens_count = 7', reports: /tokens_count/ },
    'a wrong number of members': { by: 'UPDATE workspaces SET guests_count = 7', reports: /guests_count/ },
    'a wrong number of apps': { by: 'UPDATE workspaces SET apps_count = 7', reports: /apps_count/ },
    'a channel that is listed wrongly': {
      by: 'UPDATE channels SET is_private = 1',
      reports: /Channel chan_\w+ is listed/,
    },
    'a post that is listed wrongly': { by: 'UPDATE posts SET is_listed = 0', reports: /Post post_\w+ does not agree/ },
    'a post that is half resolved': { by: 'UPDATE posts SET is_resolved = 1 - is_resolved', reports: /half resolved/ },
    'an answer that is not there': { by: 'UPDATE posts SET resolved_comment_key = 99999', reports: /does not have/ },
    'a comment without a post': { by: 'UPDATE comments SET post_key = 99999', reports: /Comment cmt_\w+ has no post/ },
    'a reply to nothing': { by: 'UPDATE comments SET parent_key = 99999', reports: /replies to no comment/ },
    'a message that answers nothing': { by: 'UPDATE messages SET parent_key = 99999', reports: /answers no message/ },
    'a deleted comment without replies': { by: 'UPDATE comments SET is_deleted = 1', reports: /is deleted, yet/ },
    'another last activity': {
      by: 'UPDATE threads SET last_activity_at = 1',
      reports: /Thread thr_\w+ was last active/,
    },
    'another id in a channel': { by: "UPDATE channel_members SET author_id = 'x'", reports: /under another id/ },
    'a hash of channels that someone else sees': {
      by: "UPDATE authors SET visibility_hash = 'x'",
      reports: /The hash of the channels that mem_\w+ sees is that of others/,
    },
    'a revision without an event': { by: 'UPDATE workspaces SET revision = revision + 1', reports: /is at revision/ },
    'a gap in the log': { by: 'DELETE FROM events WHERE revision = 2', reports: /its log has/ },
    'a member who is searched by another name': { by: "UPDATE authors SET name = 'X'", reports: /by another name/ },
    'a member who was deactivated but kept a way in': {
      by: 'UPDATE members SET is_deactivated = 1',
      reports: /The member mem_\w+ is deactivated, but has tokens/,
    },
    'a workspace that is open to no password': {
      by: `INSERT INTO password_workspaces (user_key, workspace_key, author_key)
        SELECT user_key, workspace_key, author_key FROM members LIMIT 1`,
      reports: /open to a password of user_\w+ that is not there/,
    },
    'another latest activity of a post': {
      by: 'UPDATE post_activity SET activity_revision = 1',
      reports: /latest activity of post post_\w+/,
    },
    'another latest activity of a thread': {
      by: 'UPDATE threads SET activity_revision = 1',
      reports: /latest activity of thread thr_\w+/,
    },
    'what was read of a post that is gone': {
      by: 'UPDATE read_positions SET subject_key = -subject_key WHERE kind = 1',
      reports: /mem_\w+ has \d+ rows in read_positions of posts that are gone/,
    },
    'a follower of a post that is gone': {
      by: 'UPDATE follows SET subject_key = -subject_key WHERE kind = 1',
      reports: /mem_\w+ has \d+ rows in follows of posts that are gone/,
    },
    'an entry of a thread that is gone': {
      by: 'UPDATE inbox_entries SET subject_key = -subject_key WHERE kind = 2',
      reports: /mem_\w+ has \d+ rows in inbox_entries of threads that are gone/,
    },
    'an entry that is read and marked as unread': {
      by: 'UPDATE inbox_entries SET is_read = 1, is_marked_unread = 1',
      reports: /The entry inb_\w+ of mem_\w+ is of another workspace, or both read and marked as unread/,
    },
    'an entry that is unread after its thread was read': {
      by: `INSERT INTO read_positions AS r (author_key, kind, subject_key, channel_key, revision)
        SELECT author_key, kind, subject_key, 0, max(revision) FROM inbox_entries WHERE kind = 2
        GROUP BY author_key, kind, subject_key
        ON CONFLICT (kind, subject_key, author_key) DO UPDATE SET revision = excluded.revision`,
      reports: /The entry inb_\w+ of mem_\w+ is unread, but what it is about was read/,
    },
    'a token whose app is gone': { by: 'DELETE FROM apps', reports: /is gone, but not its token/ },
  }

  beforeAll(async () => {
    const { ada, bob, general, fillInboxes } = await world(server)
    const post = await ada.posts.create({ channel_id: general.id, content_markdown: 'Lunch?' })
    const comment = await ada.comments.create({ post_id: post.id, content_markdown: 'Noon.' })
    await ada.comments.create({ post_id: post.id, parent_id: comment.id, content_markdown: 'Good.' })
    await ada.posts.resolve({ post_id: post.id, comment_id: comment.id })
    await ada.messages.createDirect({ member_id: bob.id, content_markdown: 'Coming?' })
    await fillInboxes()
  })

  for (const [what, { by, reports }] of Object.entries(damages)) {
    test(what, async () => {
      expect((await inconsistenciesAfter(by)).join('\n')).toMatch(reports)
      await expectConsistent(server)
    })
  }

  /** Runs a statement and the checks, and rolls back. */
  async function inconsistenciesAfter(statement: string): Promise<string[]> {
    let inconsistencies: string[] = []
    const rollBack = new Error('taken back')
    await server.parley.engine
      .write(async (db) => {
        await sql.raw(statement).execute(db)
        inconsistencies = await findFaults(db)
        throw rollBack
      })
      .catch((error) => expect(error).toBe(rollBack))
    return inconsistencies
  }
})
