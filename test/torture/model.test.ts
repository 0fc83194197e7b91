import { afterAll, beforeAll, expect, test } from 'bun:test'
import fc from 'fast-check'
import { fillInboxes } from '../../src/jobs/inbox'
import type { Running } from '../../src/server'
import { ApiError } from '../client'
import { expectConsistent } from '../consistency'
import type { WriteName } from '../operations/entry'
import { startTestServer, time } from '../server'
import { type Person as Client, type World, world } from '../world'
import { type Model, type Person, Refusal } from './model'
import { fillInboxes as fillModel, noAttention } from './model-attention'
import { noContent } from './model-content'
import { expectLogOf } from './model-log'
import { viewsOf } from './model-views'
import { planNames, planWrite } from './model-writes'
import { reportFigure } from './report'

/** PARLEY_TORTURE=long: more and longer runs, with a random seed; PARLEY_TORTURE_SEED sets it. */
const isLong = process.env.PARLEY_TORTURE === 'long'
const RUNS = isLong ? 80 : 8
const MAX_WRITES = isLong ? 120 : 60
const SEED = Number(process.env.PARLEY_TORTURE_SEED ?? (isLong ? Date.now() % 1_000_000 : 5))
const VIEWS_PER_WRITE = 2

interface Real {
  clients: Map<string, Client>
  newToken(id: string): Promise<Client>
  /** Tells inboxes of everything that happened. */
  fill(): Promise<void>
  server: Running
  eventRows: World['eventRows']
}

const counts = { lives: 0, writes: 0, refused: 0, looks: 0 }
let server: Running
beforeAll(async () => {
  server = await startTestServer()
  time.freeze()
})
afterAll(async () => {
  time.unfreeze()
  await server.stop()
})

/** One write of one person, followed by random reads; all results must match the model. */
class Command implements fc.AsyncCommand<Model, Real> {
  constructor(
    readonly name: WriteName,
    readonly by: number,
    readonly seed: number,
  ) {}

  check = () => true

  async run(model: Model, { clients, newToken, fill }: Real) {
    const who = model.people[this.by % model.people.length]!
    const write = planWrite(this.name, model, who, this.seed)
    if (write.isAfterFilling || this.seed % 4 === 0) await fillBoth(model, fill)
    time.advance(1 + (this.seed % 2))
    const now = time.now()
    const deactivated = model.people.filter(({ isDeactivated }) => isDeactivated)
    const actual = await settle(write.ask(clients.get(who.id)!))
    const expectedCode = refusalCode(() => write.apply((actual as { id: string }) ?? { id: '' }, now))
    counts.writes += 1
    if (expectedCode) counts.refused += 1
    expect([`${this}`, codeOf(actual)]).toEqual([`${this}`, expectedCode])
    // Reactivation does not restore tokens.
    for (const { id } of deactivated.filter(({ isDeactivated }) => !isDeactivated)) {
      expect(codeOf(await settle(clients.get(id)!.me.get()))).toBe('unauthenticated')
      clients.set(id, await newToken(id))
    }
    for (let turn = 0; turn < VIEWS_PER_WRITE; turn++) await checkRandomView(model, clients, this.seed + turn)
  }

  toString = () => `${this.name} by ${this.by} (${this.seed})`
}

/** Fills the inboxes of the server and of the model, which have seen the same since the last time. */
async function fillBoth(model: Model, fill: Real['fill']) {
  await fill()
  fillModel(model)
}

/** Checks a random view of a random person. */
async function checkRandomView(model: Model, clients: Map<string, Client>, seed: number) {
  const who = model.people[seed % model.people.length]!
  const views = viewsOf(model, who)
  await checkView(who, views[(seed >>> 3) % views.length]!, clients)
}

async function checkView(who: Person, view: ReturnType<typeof viewsOf>[number], clients: Map<string, Client>) {
  const answer = await settle(view.ask(clients.get(who.id)!))
  const seen = codeOf(answer) ?? answer
  counts.looks += 1
  if (typeof view.expected === 'string') return expect([view.name, seen]).toEqual([view.name, view.expected])
  expect({ who: who.role, view: view.name, seen }).toMatchObject({
    who: who.role,
    view: view.name,
    seen: view.expected as object,
  })
}

async function settle(call: Promise<unknown>): Promise<unknown> {
  try {
    return await call
  } catch (error) {
    if (error instanceof ApiError) return error
    throw error
  }
}

const codeOf = (answer: unknown) => (answer instanceof ApiError ? answer.code : undefined)

/** The code with which the model refuses; undefined if it does not. */
function refusalCode(apply: () => void): string | undefined {
  try {
    apply()
  } catch (error) {
    if (error instanceof Refusal) return error.code
    throw error
  }
}

async function newModelAndWorld(): Promise<{ model: Model; real: Real }> {
  time.advance(1)
  const { root, ada, bob, vic, gus, bot, general, ...cast } = await world(server)
  const people: Person[] = [
    { id: root.id, role: 'admin', isDeactivated: false },
    { id: ada.id, role: 'member', isDeactivated: false },
    { id: bob.id, role: 'member', isDeactivated: false },
    { id: vic.id, role: 'viewer', isDeactivated: false },
    { id: gus.id, role: 'guest', isDeactivated: false },
    { id: bot.id, role: 'app', isDeactivated: false },
  ]
  const channel = {
    ...{ id: general.id, name: general.name, isPrivate: false, isArchived: false, inside: new Set(people.slice(0, 3)) },
    creator: people[0]!,
    createdAt: Date.parse(general.created_at),
  }
  const clients = new Map([root, ada, bob, vic, gus, bot].map((person) => [person.id, person]))
  const model = {
    people,
    channels: [channel],
    posts: [],
    comments: [],
    threads: [],
    messages: [],
    attention: noAttention(),
    content: noContent(),
  }
  const newToken = (id: string) => cast.tokenFor(id, ['admin'])
  const fill = async () => {
    while ((await fillInboxes(server.parley, { workspace_key: cast.workspaceKey })).hasMore);
  }
  await fill()
  return { model, real: { clients, newToken, fill, server: cast.server, eventRows: cast.eventRows } }
}

test('after random writes, every answer and every view matches the model', async () => {
  // Creating and reading records, and callers who can, are more frequent, so that other writes have targets.
  const creating = [
    'posts.create',
    'comments.create',
    'threads.create',
    'messages.create',
    'channels.addMember',
  ] as const
  const reading = ['reads.set', 'reads.set', 'reads.unset', 'follows.set', 'inbox.update'] as const
  const name = fc.constantFrom(...planNames, ...creating, ...creating, ...creating, ...reading, ...reading)
  const by = fc.constantFrom(0, 0, 0, 0, 1, 1, 2, 3, 4, 4, 5)
  const command = fc.tuple(name, by, fc.nat()).map((parts) => new Command(...parts))
  let isMet = false
  try {
    // Inboxes are filled when the test says so, by the server and in the model.
    await server.inboxFiller()!.whilePaused(() =>
      fc.assert(
        fc.asyncProperty(fc.commands([command], { maxCommands: MAX_WRITES, size: 'max' }), async (commands) => {
          const start = await newModelAndWorld()
          counts.lives += 1
          await fc.asyncModelRun(() => start, commands)
          await fillBoth(start.model, start.real.fill)
          for (const who of start.model.people)
            for (const view of viewsOf(start.model, who)) await checkView(who, view, start.real.clients)
          expectLogOf(start.model, await start.real.eventRows())
          await expectConsistent(server)
        }),
        { numRuns: RUNS, seed: SEED, endOnFailure: !isLong },
      ),
    )
    isMet = true
  } finally {
    reportFigure({
      question: 'Does it answer as a model in memory does, whatever six callers do?',
      goal: 'same answers, same counts, same visibility',
      figure: `${counts.lives} lives, ${counts.writes} writes (${counts.refused} refused), ${counts.looks} looks, ${isMet ? 'no difference' : 'a difference'} (seed ${SEED})`,
      isMet,
    })
  }
}, 3_600_000)
