import { afterAll, describe, expect, test } from 'bun:test'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { OperationName } from '../../src/contract'
import { eventId } from '../../src/domain/events/positions'
import { projectRoot, read } from '../documents'
import { randomWriteNames, writeRandomly } from '../operations'
import { newRandom, type Random, recordIdsOf } from '../random-writes'
import { type Person, type World, world } from '../world'

const folder = mkdtempSync(join(tmpdir(), 'parley-mirror-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** The program of docs/sync.md, with the client of this project. */
async function writeProgram(): Promise<string> {
  const documented = read('docs/sync.md').match(/```ts mirror\n(.*?)```/s)![1]!
  const client = join(projectRoot, 'src/client/index.ts')
  const program = join(folder, 'mirror.ts')
  // It hears of the end of the log sooner than it would of what it cannot see.
  const shortened = documented.replace('wait: 20', 'wait: 1').replace("'parley-client'", `'${client}'`)
  await Bun.write(program, shortened)
  return program
}

const errors: string[] = []

/** A running copy of what someone can see. */
function startMirror(program: string, who: Person, name: string) {
  const file = join(folder, `${name}.json`)
  const start = () =>
    Bun.spawn([process.execPath, program], {
      env: { ...process.env, PARLEY_URL: who.baseUrl, PARLEY_TOKEN: who.token, MIRROR_FILE: file },
      stderr: 'pipe',
    })
  let running = start()
  return {
    who,
    copy: () => (existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {}),
    change(changes: object) {
      writeFileSync(file, JSON.stringify({ ...this.copy(), ...changes }))
    },
    async kill() {
      running.kill('SIGKILL')
      errors.push(await new Response(running.stderr).text())
    },
    start() {
      running = start()
    },
    get exitCode() {
      return running.exitCode
    },
  }
}

type Mirror = ReturnType<typeof startMirror>

const PATIENCE_MS = 120_000

/** Waits until a mirror has read the whole log. */
async function caughtUp(mirror: Mirror) {
  for (const end = performance.now() + PATIENCE_MS; performance.now() < end && mirror.exitCode === null; ) {
    const { next_cursor } = await mirror.who.events.list({ after: 'now' })
    if (mirror.copy().cursor === next_cursor) return
    await Bun.sleep(50)
  }
  await mirror.kill()
  throw new Error(`The mirror did not catch up: ${errors.join('')}`)
}

/** Everything a person can list. */
async function listAll(who: Person) {
  const channels = await Array.fromAsync(who.channels.list())
  const posts = await Array.fromAsync(who.posts.list())
  const threads = await Array.fromAsync(who.threads.list())
  const comments = await Promise.all(posts.map(({ id }) => Array.fromAsync(who.comments.list({ post_id: id }))))
  const messages = await Promise.all(threads.map(({ id }) => Array.fromAsync(who.messages.list({ thread_id: id }))))
  const members = await Array.fromAsync(who.members.list())
  return { channels, posts, comments: comments.flat(), threads, messages: messages.flat(), members }
}

type Records = Record<string, { id: string }[]>

/** By id, with the ids of authors and channels in place of what they are called. */
const comparable = (records: Records) =>
  Object.fromEntries(
    Object.entries(records).map(([noun, list]) => [
      noun,
      Object.fromEntries(list.map((each) => [each.id, refer(each)])),
    ]),
  )

const refer = (record: object) =>
  JSON.parse(
    JSON.stringify(record, (key, value) => {
      if (key === 'last_seen_at') return undefined
      const isAuthor = value?.avatar_urls && value.type && value.name
      return isAuthor || key === 'channel' ? value.id : value
    }),
  )

const isContent = /^(posts|comments|threads|messages)\./
const names = randomWriteNames
  .filter((name) => isContent.test(name))
  // More is created than deleted.
  .flatMap((name) => Array<OperationName>(/^(posts|messages)\.create$/.test(name) ? 6 : 1).fill(name))

/** Comments on a recent post, and sometimes replies to a comment or deletes one. */
async function discuss({ root, ada }: World, random: Random) {
  const post = random.pick((await root.posts.list({ limit: 5 })).data)
  const { data } = await root.comments.list({ post_id: post.id, parent_id: 'root' })
  if (data.length > 2 && random.below(3) === 0) return root.comments.delete({ id: random.pick(data).id })
  const parent_id = data.length > 0 && random.below(2) === 0 ? random.pick(data).id : ''
  return random.pick([root, ada]).comments.create({ post_id: post.id, content_markdown: 'Noon?', parent_id })
}

/** Takes access away from members whose mirrors run, or gives it back, or renames something. */
async function changeAccess({ root, ada, gus }: World, channels: readonly string[], random: Random) {
  const id = random.pick(channels)
  const one = { channel_id: id, member_id: random.pick([ada, gus]).id }
  const changes = [
    () => root.channels.addMember(one),
    () => root.channels.removeMember(one),
    () => root.channels.update({ id, private: random.below(2) === 0 }),
    () => root.channels.update({ id, archived: random.below(3) === 0 }),
    () => root.channels.update({ id, name: `Channel ${random.below(1e6)}` }),
    () => root.members.update({ id: root.id, display_name: `Root ${random.below(99)}` }),
    () => root.members.update({ id: ada.id, role: random.pick(['guest', 'member']) }),
  ]
  return random.pick(changes)()
}

/** Expects a mirror to have exactly what its owner can list. */
async function expectExact(mirror: Mirror) {
  await caughtUp(mirror)
  const { who } = mirror
  const { cursor: _, end: __, ...copied } = mirror.copy() as Record<string, Record<string, { id: string }>>
  const actual = comparable(Object.fromEntries(Object.entries(copied).map(([noun, all]) => [noun, Object.values(all)])))
  const expected = comparable(await listAll(who))
  // Guests do not hear of what happens to members.
  const isGuest = (await who.me.get()).role === 'guest'
  for (const noun of Object.keys(expected))
    if (noun === 'members' && isGuest)
      expect(Object.keys(actual[noun]!).sort()).toEqual(Object.keys(expected[noun]!).sort())
    else expect(actual[noun]).toEqual(expected[noun])
}

describe('the program of docs/sync.md', () => {
  test('keeps an exact copy of what a member and a guest can see', async () => {
    const program = await writeProgram()
    const cast = await world()
    const { root, ada, bob, gus, bot, general } = cast
    const random = newRandom(4)
    const records = { ...recordIdsOf(cast), members: [root, ada, bob, gus].map(({ id }) => id) }
    await root.channels.addMember({ channel_id: general.id, member_id: gus.id })
    const write = async (count: number) => {
      for (let done = 0; done < count; done++) {
        const who = random.pick([root, root, ada, bob, gus, bot])
        const changes: (() => Promise<unknown>)[] = [
          () => changeAccess(cast, records.channels, random),
          () => discuss(cast, random),
          () => writeRandomly(random.pick(names), who, records, random),
          () => writeRandomly(random.pick(names), who, records, random),
        ]
        await random
          .pick(changes)()
          .catch(() => {})
      }
    }
    const mirrors = [ada, gus].map((who, at) => startMirror(program, who, `copy-${at}`))
    try {
      const secret = await root.channels.create({ name: 'secret', private: true })
      const open = await root.channels.create({ name: 'open' })
      records.channels.push(secret.id, open.id)
      await write(60)
      await Promise.all(mirrors.map(expectExact))

      // Both die in the middle. Then it is as if a backup was restored: from after the cursor of one, which has a record that was
      // written later, and from before the cursor of the other.
      await write(20)
      await Promise.all(mirrors.map((mirror) => mirror.kill()))
      await write(20)
      const { workspace } = await ada.me.get()
      const lost = eventId(workspace.id, { revision: 1, nonce: 1 })
      mirrors[0]!.change({ end: lost, posts: { post_lost: { id: 'post_lost', channel: { id: general.id } } } })
      mirrors[1]!.change({ cursor: lost, end: lost, posts: {} })
      for (const mirror of mirrors) mirror.start()
      await write(20)
      await Promise.all(mirrors.map(expectExact))

      await root.members.update({ id: ada.id, role: 'member' })
      for (const { id } of [secret, open, general]) {
        await root.channels.update({ id, archived: false, private: id === secret.id })
        for (const member_id of [ada.id, gus.id]) await root.channels.addMember({ channel_id: id, member_id })
      }
      await root.channels.removeMember({ channel_id: open.id, member_id: ada.id })
      const thread = await root.threads.create({ member_ids: [ada.id, gus.id] })
      const writeEverywhere = async () => {
        for (const { id } of [secret, open]) {
          const post = await root.posts.create({ channel_id: id, content_markdown: 'Lunch?' })
          await root.comments.create({ post_id: post.id, content_markdown: 'Noon.' })
        }
        await root.messages.create({ thread_id: thread.id, content_markdown: 'Hello' })
      }
      await writeEverywhere()
      await Promise.all(mirrors.map(expectExact))

      for (const { id: member_id } of [ada, gus]) await root.channels.removeMember({ channel_id: secret.id, member_id })
      await root.channels.update({ id: open.id, private: true })
      await root.channels.delete({ id: general.id })
      await root.threads.removeMember({ thread_id: thread.id, member_id: ada.id })
      await gus.threads.leave({ thread_id: thread.id })
      await writeEverywhere()
      await Promise.all(mirrors.map(expectExact))

      for (const { id: member_id } of [ada, gus]) {
        await root.channels.addMember({ channel_id: secret.id, member_id })
        await root.threads.addMember({ thread_id: thread.id, member_id })
      }
      await root.channels.update({ id: open.id, private: false })
      await root.channels.update({ id: general.id, archived: false })
      await Promise.all(mirrors.map(expectExact))
    } finally {
      await Promise.all(mirrors.map((mirror) => mirror.kill()))
    }
    expect(errors.join('')).toBe('')
  })
})
