import type { NewPost, NewReply } from '../store/seed'
import type { PlannedChannel } from './channels'
import type { SeededAuthor } from './people'
import { later, type Random, workingMoments } from './random'
import {
  type Area,
  areas,
  fillTemplate,
  list,
  newBody,
  type PostTemplate,
  postTemplates,
  renderText,
  reports,
} from './texts'

const comments: readonly string[] = [
  ...list('I can take the **{topic}**. Give me until tomorrow.|Agreed. Let us keep it small.|Done, and documented.'),
  'We had the same last year. The cause was a setting that nobody remembers making; look at the defaults first.',
  'The short answer is yes, the long one is in [the handbook](https://handbook.example.com/answers).',
  'I tried it on my machine and it works with these two lines:\n\n```ts\nconst page = await parley.posts.list({ limit: 50 })\nconsole.log(page.total_count)\n```',
  'Two thoughts:\n\n- it should say so in the first sentence\n- the date should be a date, not “soon”',
  'I asked the people who made it. It was meant for ten records, not ten thousand, so `limit` was never an issue.',
  ...list('Good idea! I would only change the name.|Not sure. What happens to people who use the {topic} every day?'),
  'For the record: we decided the opposite in spring, for reasons that no longer hold.',
  'This also touches the {topic} on mobile, where there is *much* less room.',
  'Fixed on the test system. Could someone who saw it before have a look?',
  ...list('I would rather wait a week and have the numbers.|Let me check with the support team and come back to you.'),
  'Yes please. It would save me an hour every Monday.',
]

const replies: readonly string[] = [
  ...list('Thank you, that was it.|Looks right to me.|Could you say a little more about the second point?'),
  ...list('I had missed that, sorry.|Works here as well.|Then let us do it that way.|+1, and I can help on Thursday.'),
  'I do not think so: the {topic} had that before, and we took it out.',
  '> What happens to people who use it every day?\n\nNothing changes for them.',
  ...list('Good catch. I changed the text.|No hurry, it can wait until after the release.'),
]

const resolutionNotes: readonly string[] = [
  'Done: the **{topic}** has an owner, and the handbook says who it is.',
  'We went with the small version. It can be undone.',
  'Fixed and released; the cause was the default, as suspected.',
  'Answered in the comments. The short version: *yes, from next month*.',
  'Closed without a change. If it comes back, open it again with an example.',
  'Decided: we repair it. The plan:\n\n1. this week the cause\n2. next week the text\n3. then we look again',
]

const REACTIONS = ['👍', '🎉', '❤️', '👀', '🚀']

/** Each kind as often as it has weight. */
const weighted = postTemplates.flatMap((kind): PostTemplate[] => Array(kind.weight).fill(kind))

type Channel = PlannedChannel & { key: number }

interface Options {
  posts: number
  commentsEvery: number
  until: number
}

/** An endless sequence of posts in the order of publication, with their comments and resolutions. */
export function openPosts(random: Random, channels: readonly Channel[], options: Options): () => NewPost {
  const { commentsEvery, until } = options
  const nextMoment = workingMoments(until, options.posts, random)
  let made = 0

  return () => {
    const published_at = nextMoment()
    const channel = pickChannel(random, channels)
    const topic = random.pick(areas[channel.area].topics)
    const isReport = channel.apps.length > 0 && random.chance(0.07)
    const kind = isReport ? reports : pickTemplate(random, channel.area)
    const author = isReport ? random.pick(channel.apps) : pickAuthor(random, channel.writers, published_at)
    made += 1
    const discussion = made % commentsEvery === 0 ? newComments(random, channel, topic, published_at, until) : []
    const last = discussion.at(-1)?.created_at ?? published_at
    const resolution = random.chance(kind.resolves)
      ? newResolution(random, { channel, topic, discussion, author, at: later(random, last, until) })
      : undefined
    const title = fillTemplate(random, random.pick(kind.titles), topic)
    return {
      id: random.id('post', published_at),
      channel_key: channel.key,
      is_listed: !channel.is_private,
      author_key: author.key,
      title: title[0]!.toUpperCase() + title.slice(1),
      text: newBody(random, kind, topic),
      published_at,
      last_activity_at: resolution?.at ?? last,
      comments: discussion,
      reactions: made % 3 === 0 ? newReactions(discussion, made) : [],
      resolution,
    }
  }
}

/** Some channels are much busier than others: each is picked in proportion to about 1 / (its number + 3). */
const pickChannel = (random: Random, channels: readonly Channel[]): Channel =>
  channels[Math.floor(2.5 * ((channels.length + 2.5) / 2.5) ** random.fraction() - 2.5)]!

function pickTemplate(random: Random, area: Area): PostTemplate {
  const kind = random.pick(weighted)
  return kind.areas?.includes(area) === false ? pickTemplate(random, area) : kind
}

/** A random member who had joined by then. The founder is in every channel, and had joined before all posts. */
function pickAuthor(random: Random, writers: readonly SeededAuthor[], at: number): SeededAuthor {
  let author = random.pick(writers)
  while (author.joined_at > at) author = random.pick(writers)
  return author
}

function newComments(random: Random, { writers }: Channel, topic: string, from: number, until: number): NewReply[] {
  const discussion: NewReply[] = []
  let created_at = from
  const say = (words: readonly string[], parent?: number) => {
    created_at = later(random, created_at, until)
    discussion.push({
      id: random.id('cmt', created_at),
      parent,
      author_key: pickAuthor(random, writers, created_at).key,
      text: renderText(random.pick(words), topic),
      created_at,
    })
  }
  for (let count = random.between(1, 3); count > 0; count--) {
    say(comments)
    const parent = discussion.length - 1
    for (let answers = random.chance(0.5) ? random.between(1, 2) : 0; answers > 0; answers--) say(replies, parent)
  }
  return discussion
}

/** Everyone who discussed a post has also reacted to it. */
const newReactions = (discussion: readonly NewReply[], made: number) =>
  [...new Map(discussion.map((comment) => [comment.author_key, comment])).values()].map(
    ({ author_key, created_at }, at) => ({
      author_key,
      emoji: REACTIONS[(made + (at >> 1)) % REACTIONS.length]!,
      created_at,
    }),
  )

interface Resolving {
  channel: Channel
  topic: string
  discussion: readonly NewReply[]
  author: SeededAuthor
  at: number
}

/** Resolves by a comment if there are some, otherwise with a note or with nothing. */
function newResolution(random: Random, { channel, topic, discussion, author, at }: Resolving) {
  const way = random.pick(['note', 'comment', 'neither'] as const)
  const isByAuthor = author.role !== null && random.chance(0.6)
  return {
    at,
    by_key: isByAuthor ? author.key : pickAuthor(random, channel.writers, at).key,
    note: way === 'note' ? renderText(random.pick(resolutionNotes), topic) : undefined,
    comment: way === 'comment' && discussion.length > 0 ? random.between(0, discussion.length - 1) : undefined,
  }
}
