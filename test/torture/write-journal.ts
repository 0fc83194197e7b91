import { expect } from 'bun:test'
import type { Client } from '../client'
import { findFaults } from '../consistency'
import { inDatabase, lastStatements } from './child'

/** The last acknowledged state of each record; undefined if it was deleted. */
export type WriteJournal = Map<string, string | undefined>

/** Stops the writers, and counts acknowledged writes. */
export interface Load {
  isOver: boolean
  writes: number
}

/** Does every kind of write on its own records until the server is killed. */
export async function writeContinuously(client: Client, channel_id: string, journal: WriteJournal, load: Load) {
  const create = async <T extends { id: string }>(kind: string, state: string, request: Promise<T>) => {
    const record = await request
    journal.set(`${kind} ${record.id}`, state)
    load.writes += 1
    return record
  }
  /** The state is unknown until the write is acknowledged. */
  const change = async (record: string, state: string | undefined, request: () => Promise<unknown>) => {
    journal.delete(record)
    await request()
    journal.set(record, state)
    load.writes += 1
  }
  try {
    for (let turn = 0; !load.isOver; turn++) {
      const name = crypto.randomUUID()
      const post = await create('post', 'Hello open', client.posts.create({ channel_id, content_markdown: 'Hello' }))
      const post_id = post.id
      const comment = await create('comment', 'Noon', client.comments.create({ post_id, content_markdown: 'Noon' }))
      const parent_id = comment.id
      const reply = { post_id, parent_id, content_markdown: 'Yes' }
      const { id: reply_id } = await create('comment', 'Yes', client.comments.create(reply))
      await change(`post ${post_id}`, 'Dinner open', () => client.posts.update({ id: post_id, title: 'Dinner' }))
      await change(`post ${post_id}`, 'Dinner resolved', () =>
        client.posts.resolve({ post_id, comment_id: comment.id }),
      )
      await change(`comment ${reply_id}`, undefined, () => client.comments.delete({ id: reply_id }))
      await change(`comment ${comment.id}`, 'One', () =>
        client.comments.update({ id: comment.id, content_markdown: 'One' }),
      )
      if (turn % 2) await change(`post ${post_id}`, 'Dinner open', () => client.posts.unresolve({ post_id }))

      const email = `${name}@example.com`
      const member = await create(
        'member',
        'member',
        client.members.create({ email, display_name: 'Eve', role: 'member' }),
      )
      await change(`member ${member.id}`, 'guest', () => client.members.update({ id: member.id, role: 'guest' }))
      const hello = { member_id: member.id, content_markdown: 'Hi' }
      const message = await create('message', 'Hi', client.messages.createDirect(hello))
      await change(`message ${message.id}`, 'Ho', () =>
        client.messages.update({ id: message.id, content_markdown: 'Ho' }),
      )
      const channel = await create('channel', `${name} open`, client.channels.create({ name }))
      await client.channels.addMember({ channel_id: channel.id, member_id: member.id })
      await change(`channel ${channel.id}`, `${name} archived`, () => client.channels.delete({ id: channel.id }))

      const app = await create('app', name, client.apps.create({ name }))
      const token = await create('token', 'good', client.apps.createToken({ id: app.id, scopes: ['read'] }))
      if (turn % 2) await change(`token ${token.id}`, undefined, () => client.tokens.delete({ id: token.id }))
      if (turn % 3) await change(`message ${message.id}`, undefined, () => client.messages.delete({ id: message.id }))
      if (turn % 4) continue
      journal.delete(`comment ${comment.id}`)
      await change(`post ${post_id}`, undefined, () => client.posts.delete({ id: post_id }))
    }
  } catch (error) {
    // The connection broke, so the outcome is unknown. A refusal would be a bug.
    expect(error).not.toHaveProperty('status')
  }
}

interface Found {
  wrong: string[]
  records: WriteJournal
  events: { type: string; data: string }[]
}

/** Expects the database to match the journal, and counters, revisions, events and rows to be consistent. */
export async function expectJournal(url: string, journal: WriteJournal) {
  await lastStatements(url)
  const { wrong, records, events } = await inDatabase<Found>(url, async (db) => {
    const posts = await db.selectFrom('posts').select(['id', 'title', 'is_resolved']).execute()
    const comments = await db.selectFrom('comments').select(['id', 'markdown', 'is_deleted']).execute()
    const messages = await db.selectFrom('messages').select(['id', 'markdown']).execute()
    const members = await db.selectFrom('members').select(['id', 'role']).execute()
    const channels = await db.selectFrom('channels').select(['id', 'name', 'archived_at']).execute()
    const apps = await db
      .selectFrom('apps')
      .innerJoin('authors', 'authors.key', 'apps.author_key')
      .select(['apps.id', 'authors.name'])
      .execute()
    const tokens = await db.selectFrom('tokens').select('id').execute()
    const records = new Map([
      ...posts.map(({ id, title, is_resolved }) => [`post ${id}`, `${title} ${is_resolved ? 'resolved' : 'open'}`]),
      ...comments.filter(({ is_deleted }) => !is_deleted).map(({ id, markdown }) => [`comment ${id}`, markdown]),
      ...messages.map(({ id, markdown }) => [`message ${id}`, markdown]),
      ...members.map(({ id, role }) => [`member ${id}`, role]),
      ...channels.map(({ id, name, archived_at }) => [`channel ${id}`, `${name} ${archived_at ? 'archived' : 'open'}`]),
      ...apps.map(({ id, name }) => [`app ${id}`, name]),
      ...tokens.map(({ id }) => [`token ${id}`, 'good']),
    ] as [string, string][])
    const events = await db.selectFrom('events').select(['type', 'data']).orderBy('revision').execute()
    return { wrong: await findFaults(db), records, events }
  })
  expect(wrong).toEqual([])
  const mismatches = [...journal].filter(([record, state]) => records.get(record) !== state)
  expect(mismatches.map(([record, state]) => `${record}: ${state}, found ${records.get(record)}`)).toEqual([])
  for (const kind of ['post', 'message', 'channel', 'member', 'app'])
    expect([...announcedRecords(events, kind)].sort()).toEqual(
      [...records.keys()].filter((record) => record.startsWith(`${kind} `)).sort(),
    )
}

/** Records of a type that exist according to the events: created, and not deleted. */
function announcedRecords(events: Found['events'], kind: string): Set<string> {
  const there = new Set<string>()
  for (const { type, data } of events) {
    const record = `${kind} ${(JSON.parse(data) as { id: string }).id}`
    if (type === `${kind}.created`) there.add(record)
    // A deleted channel is only archived.
    else if (type === `${kind}.deleted` && kind !== 'channel') there.delete(record)
  }
  return there
}
