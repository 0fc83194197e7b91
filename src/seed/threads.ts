import { titleFromNames } from '../actions/threads'
import type { NewThread } from '../store/seed'
import type { SeededAuthor } from './people'
import { later, type Random, workingMoments } from './random'
import { areas, fillTemplate, list, renderText } from './texts'

const threadTitles: readonly string[] = [
  ...list('Preparing the {topic}|Quick round on the {topic}|Offer for the {topic}|Before we announce the {topic}'),
  'Cover for the {topic} in August',
]

/** A conversation: a thread begins with these in this order. */
const messages: readonly string[] = [
  ...list('Hello! Do you have a minute for the {topic}?|Sure, what is it about?'),
  'I have put a first version into the folder. It is **rough**, please be kind.',
  'Read it. The middle part is strong, the beginning needs one sentence less.',
  ...list('Can we move our meeting to the afternoon?|Afternoon is fine for me.'),
  'I am on the train, the line is bad. I will write.',
  'Here is the list so far:\n\n- invite the others\n- book the room\n- order something to eat',
  ...list('The room is booked.|Who tells the rest of the team?|I will, after lunch.'),
  ...list('One thing: the {topic} must not be public before Tuesday.|Understood.'),
  'That link does not work for me: `https://files.example.com/draft`. Could you share it again?',
  ...list('Now it should.|Yes, thank you!|Let us wait for the numbers before we promise anything.'),
  ...list('They look better than last month, I must say.|Great work, everyone.'),
]

const allTopics = Object.values(areas).flatMap(({ topics }) => topics)

interface Options {
  threads: number
  until: number
}

/** An endless sequence of threads between two or more members, with messages. `listeners` only read some of them. */
export function openThreads(
  random: Random,
  people: readonly SeededAuthor[],
  listeners: readonly { key: number }[],
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
    const pair = pairOf(group)
    const isDirect = isPair && group.length === 2 && !pairs.has(pair)
    if (isDirect) pairs.add(pair)
    const topic = random.pick(allTopics)
    const written = newMessages(random, group, topic, created_at, until)
    const reading = made++ % 3 === 0 && !isDirect ? listeners : []
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

const pairOf = (group: readonly SeededAuthor[]): string =>
  group
    .map(({ key }) => key)
    .sort((a, b) => a - b)
    .join(':')

function newMessages(random: Random, group: readonly SeededAuthor[], topic: string, from: number, until: number) {
  let created_at = from
  return Array.from({ length: random.between(4, 40) }, (_, number) => {
    if (number > 0) created_at = later(random, created_at, until)
    return {
      id: random.id('msg', created_at),
      parent: number > 2 && random.chance(0.12) ? random.between(0, number - 1) : undefined,
      author_key: random.pick(group).key,
      text: renderText(messages[number] ?? random.pick(messages), topic),
      created_at,
      updated_at: random.chance(0.05) ? Math.min(created_at + 120_000, until) : created_at,
    }
  })
}
