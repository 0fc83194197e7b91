import { titleFromNames } from '../actions/threads'
import type { SeededAuthor } from '../store/seed/people'
import type { NewMessage, NewThread } from '../store/seed/threads'
import { topics } from './places'
import type { Random } from './random'
import { messages, threadTitles } from './remarks'
import { later, workingMoments } from './rhythm'
import { fillTemplate, type Texts } from './text'

const allTopics = Object.values(topics).flat()

interface Options {
  threads: number
  until: number
}

/** An endless sequence of threads between two or more members, with messages. `listeners` only read some of them. */
export function openThreads(
  random: Random,
  texts: Texts,
  people: readonly SeededAuthor[],
  listeners: readonly SeededAuthor[],
  { threads, until }: Options,
): () => NewThread {
  const writers = people.filter(({ role }) => role !== 'viewer')
  const nextMoment = workingMoments(until, threads, random)
  const pairs = new Set<string>()
  let made = 0

  return () => {
    const created_at = nextMoment()
    const here = writers.filter(({ joined_at }, at) => at === 0 || joined_at <= created_at)
    const isPair = random.chance(0.4)
    const group = random.pickSome(here, isPair ? 2 : random.between(3, 6))
    const pair = isPair && group.length === 2 ? pairOf(group) : undefined
    const isDirect = pair !== undefined && !pairs.has(pair)
    if (isDirect) pairs.add(pair)
    const topic = random.pick(allTopics)
    const reading = made++ % 3 === 0 && !isDirect ? listeners : []
    const written = newMessages(random, texts, group, topic, created_at, until)
    return {
      id: random.id('thr', created_at),
      author_key: group[0]!.key,
      title: isDirect
        ? titleFromNames(group.map(({ name }) => name))
        : fillTemplate(random, random.pick(threadTitles), topic),
      direct_pair: isDirect ? pair : null,
      created_at,
      last_activity_at: written.at(-1)!.created_at,
      member_keys: [...group, ...reading].map(({ key }) => key),
      messages: written,
    }
  }
}

function pairOf(group: readonly SeededAuthor[]): string {
  const [low, high] = group.map(({ key }) => key).sort((a, b) => a - b)
  return `${low}:${high}`
}

function newMessages(
  random: Random,
  texts: Texts,
  group: readonly SeededAuthor[],
  topic: string,
  from: number,
  until: number,
): NewMessage[] {
  let at = from
  return Array.from({ length: random.between(4, 40) }, (_, number): NewMessage => {
    at = number === 0 ? from : later(random, at, until)
    return {
      id: random.id('msg', at),
      parent: number > 2 && random.chance(0.12) ? random.between(0, number - 1) : undefined,
      author_key: random.pick(group).key,
      text: texts(messages[number] ?? random.pick(messages), topic),
      created_at: at,
      updated_at: random.chance(0.05) ? Math.min(at + 120_000, until) : at,
    }
  })
}
