import { readConfig } from '../config'
import type { Parley } from '../gate/parley'
import { firstStart } from '../setup/first-start'
import { seedWorkspace } from '../setup/seed/seed'
import { migrate } from '../store/migrate'
import { type Command, UsageError, wholeNumber } from './command'
import { grouped, openProgress } from './progress'
import { firstWords } from './serve'
import { chosenWorkspace, refuseOther, versionOf, withParley } from './workshop'

const DAY_MS = 86_400_000

const sizes = {
  posts: { fallback: 1_000, least: 0, most: 100_000_000, help: 'How many posts.' },
  channels: { fallback: 20, least: 1, most: 10_000, help: 'How many channels, some of them private.' },
  members: { fallback: 50, least: 1, most: 1_000_000, help: 'How many members, of all roles.' },
  'comments-every': { fallback: 3, least: 1, most: 1_000_000_000, help: 'Each n-th post gets comments with replies.' },
  threads: { fallback: 20, least: 0, most: 1_000_000, help: 'How many threads, with messages.' },
  seed: { fallback: 1, least: 0, most: 999_999_999, help: 'The same number gives the same content and ids.' },
} as const

const sizeOptions = Object.entries(sizes).map(([name, { help, fallback }]) => [
  name,
  { type: 'string', value: 'N', help: `${help} Default: ${fallback}.` } as const,
])

export const seed: Command = {
  name: 'seed',
  summary: 'Fill a workspace with made-up content, of any size.',
  details: `Adds people, apps, channels, posts, comments, resolutions and threads, spread over two years. None of it is
about anyone. Run again, it adds more. The same seed and the same --until give the same content. An empty database is set up
first, as the first start of the server would do it.`,
  options: {
    ...Object.fromEntries(sizeOptions),
    until: { type: 'string', value: 'DATE', help: 'When the two years end, as in 2026-12-31. Default: today.' },
    workspace: { type: 'string', value: 'SLUG', help: 'Which workspace, where there are several.' },
  },
  async run({ values }) {
    const size = (name: keyof typeof sizes) => {
      const { fallback, least, most } = sizes[name]
      return wholeNumber(name, values[name] ?? String(fallback), least, most)
    }
    const wishes = {
      posts: size('posts'),
      channels: size('channels'),
      members: size('members'),
      commentsEvery: size('comments-every'),
      threads: size('threads'),
      seed: size('seed'),
      until: readUntil(values.until),
    }
    const started = performance.now()
    const progress = openProgress('posts', wishes.posts)
    const made = await withParley(async (parley) => {
      await prepareEmpty(parley, values.workspace)
      const workspace = await chosenWorkspace(parley, values.workspace)
      return { slug: workspace.slug, ...(await seedWorkspace(parley, workspace, wishes, progress.tell)) }
    }).finally(progress.end)
    const seconds = (performance.now() - started) / 1_000
    console.log(summary(made, seconds))
  },
}

/** Does for an empty database what the first start of the server would do, and says so. */
async function prepareEmpty(parley: Parley, slug: string | undefined) {
  const version = await versionOf(parley)
  if (version > 0) refuseOther(version)
  else console.log(`The database was empty. Migrated: ${(await migrate(parley.engine, parley.clock())).join(', ')}.`)
  if (slug !== undefined) return

  const config = readConfig(process.env)
  const made = await firstStart(parley, config)
  if (!made) return
  console.log(`There was no workspace. Made “${config.workspaceName}”.`)
  console.log(firstWords(parley.links.base, config.adminEmail, made))
}

/** A day, or today: content that ends at a moment of now would differ from run to run. */
function readUntil(text: string | undefined): number {
  if (text === undefined) return Date.now() - (Date.now() % DAY_MS)
  const time = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(text) : Number.NaN
  if (Number.isNaN(time)) throw new UsageError(`--until: “${text}” is not a date such as 2026-12-31.`)
  return time
}

function summary(
  { slug, ...made }: { slug: string; posts: number } & Record<string, number | string>,
  seconds: number,
) {
  const parts = Object.entries(made).map(([what, count]) => `${grouped(count as number)} ${what}`)
  const rate = seconds > 0 ? `${grouped(made.posts / seconds)} posts/s` : ''
  return `Added to ${slug}: ${parts.join(', ')} (${seconds.toFixed(1)} s, ${rate}).`
}
