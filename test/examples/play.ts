import { createHash } from 'node:crypto'
import type { OperationName } from '../../src/contract'
import { webhookEventTypes } from '../../src/contract/event-types'
import { type IdPrefix, typeId } from '../../src/domain/ids'
import { seedWorkspace } from '../../src/seed'
import type { Running } from '../../src/server'
import { findWorkspace } from '../../src/store/people/workspaces'
import { type Client, createClient } from '../client'
import { deadMailServer, startTestServer } from '../server'
import { openRecorder, type Recorder, type Recording } from './recorder'
import { type AnyExample, nameRecords, type Outputs, type Scene, type Setting, slug, story } from './story'

const START = Date.parse('2026-11-16T09:00:00.000Z')
const MINUTE_MS = 60_000

export interface Played {
  /** The content of `docs/examples.json`. */
  examples: { operations: Record<string, unknown>; events: Record<string, unknown>; problem: unknown }
  recording: Recording
}

/** Plays the story on a new server whose clock and ids are always the same, and returns what was recorded. */
export async function playStory(): Promise<Played> {
  let now = START
  const server = await startTestServer(
    { ...deadMailServer, RATE_LIMIT: '1000', WORKSPACE_NAME: 'Analytical Engines', ADMIN_EMAIL: 'ada@example.com' },
    { clock: () => now, newId: countedIds() },
  )
  const receiver = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response(null, { status: 204 }) })
  try {
    await server.notifications()!.close()
    const first = (await server.ready)!
    const recorder: Recorder = openRecorder(server.url, first.token, {
      settled: () => server.parley.presence.settled(),
      onDone() {
        now += MINUTE_MS
      },
    })
    const { events, problem } = await makeCalls(
      { server, first, receiverUrl: `${receiver.url.origin}/parley` },
      recorder,
    )
    const operations = Object.fromEntries(recorder.recording.operations)
    const replaced = replaceSecrets(JSON.stringify({ operations, events, problem }), server.url, receiver.url.origin)
    return { examples: JSON.parse(replaced), recording: recorder.recording }
  } finally {
    await receiver.stop(true)
    await server.stop()
  }
}

/** Makes every call, and returns the events and a problem as further examples. */
async function makeCalls(setting: Setting, recorder: Recorder) {
  const { server, first } = setting
  const ada = createClient({ baseUrl: server.url, token: first.token })
  const made = {} as Outputs
  const scene = { ...setting, ada, made } as Scene
  for (const [name, example] of Object.entries(story) as [OperationName, AnyExample][]) {
    const { input, token } = typeof example === 'function' ? { input: example, token: undefined } : example
    const output = await recorder.record(name, (await input(scene)) as never, await token?.(scene))
    Object.assign(made, { [name]: output })
    Object.assign(scene, nameRecords(made))
  }
  await ada.members.update({ id: scene.bob.id, is_deactivated: true })
  await ada.members.update({ id: scene.bob.id, is_deactivated: false })
  await seed(server)

  return {
    events: {
      ...(await eventsByType(ada)),
      'webhook.ping': JSON.parse(made['webhooks.delivery'].request.body!) as unknown,
    },
    problem: await (
      await fetch(`${server.url}/v2/posts?limit=100&chanel_id=${scene.channel.id}`, {
        headers: { Authorization: `Bearer ${first.token}` },
      })
    ).json(),
  }
}

async function seed({ parley }: Running) {
  const workspace = (await parley.engine.read((db) => findWorkspace(db, slug)))!
  const plan = { posts: 1, channels: 1, members: 1, commentsEvery: 1, threads: 0, seed: 1, until: parley.clock() }
  await seedWorkspace(parley, workspace, plan)
}

/** The latest event of each type that webhooks send; of what was deleted the log keeps no content. */
async function eventsByType(reader: Client): Promise<Record<string, unknown>> {
  const found = new Map<string, unknown>()
  let after: string | undefined
  let isMore = true
  while (isMore) {
    const page = await reader.events.list({ after })
    for (const event of page.data) if (!event.is_redacted || !found.has(event.type)) found.set(event.type, event)
    after = page.next_cursor
    isMore = page.has_more
  }
  return Object.fromEntries(webhookEventTypes.filter((type) => found.has(type)).map((type) => [type, found.get(type)]))
}

/** Ids that depend only on how many of their type there are already: ids made by jobs do not change the others. */
function countedIds() {
  const counts = new Map<IdPrefix, number>()
  return (prefix: IdPrefix): string => {
    const count = (counts.get(prefix) ?? 0) + 1
    counts.set(prefix, count)
    const bytes = createHash('sha256').update(`${prefix} ${count}`).digest().subarray(0, 16)
    bytes.writeUIntBE(START + count * MINUTE_MS, 0, 6)
    return typeId(prefix, bytes)
  }
}

/** Replaces what is random, or differs between machines. */
function replaceSecrets(json: string, serverUrl: string, receiverUrl: string): string {
  const known = new Map<string, string>()
  /** These depend on what happens in the background meanwhile, so they are numbered as they appear. */
  const renumber = (id: string) =>
    known.getOrInsertComputed(id, () => {
      const number = String(known.size + 1)
      const hash = createHash('sha256').update(number).digest('hex')
      if (id.startsWith('inb_')) return `inb_01m7hsf0t0${hash.slice(0, 16)}`
      return `evt_${number.padStart(13, '0')}${id.slice(17, 30)}${hash.slice(0, 8)}`
    })
  return (
    json
      .replaceAll(serverUrl, 'https://parley.example.com')
      .replaceAll(receiverUrl, 'https://ci.example.com')
      .replace(/parley_[\w-]{43}/g, 'parley_…')
      .replace(/pic_[0-9a-f]{32}/g, 'pic_6fc09020cc4c7331e1d2139e17dc10cc')
      .replace(/whsec_[\w+/=-]+/g, 'whsec_…')
      .replace(/evt_[0-9a-z]{34}|inb_[0-9a-z]{26}/g, renumber)
      .replace(/"duration_ms":\d+/g, '"duration_ms":42')
      // It is sent before or after the clock goes on.
      .replace(/"attempted_at":"[^"]*"/g, '"attempted_at":"2026-11-16T11:19:00.000Z"')
      .replace(/"public_key":"[^"]*"/g, '"public_key":"BN3kN1bqUZ…"')
      .replace(/"request_id":"[^"]*"/g, '"request_id":"req_01ka9s1ffze8tbv5m4x0h2c7wd"')
  )
}
