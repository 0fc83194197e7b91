import { readConfig } from '../config'
import type { Parley } from '../gate/parley'
import { firstStart } from '../operations/first-start'
import { seedWorkspace } from '../seed'
import { migrate } from '../store/schema/migrations'
import { type Command, UsageError, wholeNumber } from './command'
import { findChosenWorkspace, readSchemaVersion, requireLatestSchema, withParley } from './database'
import { grouped, openProgress } from './output'
import { firstStartMessage } from './serve'

const DAY_MS = 86_400_000

const sizes = {
  posts: { fallback: 1_000, min: 0, max: 100_000_000, help: 'Number of posts.' },
  channels: { fallback: 20, min: 1, max: 10_000, help: 'Number of channels, some of them private.' },
  members: { fallback: 50, min: 1, max: 1_000_000, help: 'Number of members, with all roles.' },
  'comments-every': { fallback: 3, min: 1, max: 1_000_000_000, help: 'Every Nth post gets comments and replies.' },
  threads: { fallback: 20, min: 0, max: 1_000_000, help: 'Number of threads, with messages.' },
  seed: { fallback: 1, min: 0, max: 999_999_999, help: 'Random seed: the same number gives the same content and ids.' },
} as const

const sizeOptions = Object.entries(sizes).map(([name, { help, fallback }]) => [
  name,
  { type: 'string', value: 'N', help: `${help} Default: ${fallback}.` } as const,
])

export const seed: Command = {
  name: 'seed',
  summary: 'Fill a workspace with made-up content of any size.',
  details: `Adds people, apps, channels, posts, comments, resolutions and threads, spread over two years. No real
people appear in it. Running it again adds more. The same --seed and --until give the same content. An empty database is
set up first, as by the first start of the server.`,
  options: {
    ...Object.fromEntries(sizeOptions),
    until: { type: 'string', value: 'DATE', help: 'The end of the two years, such as 2026-12-31. Default: today.' },
    workspace: { type: 'string', value: 'SLUG', help: 'The workspace, if there are several.' },
  },
  async run({ values }) {
    const size = (name: keyof typeof sizes) => {
      const { fallback, min, max } = sizes[name]
      return wholeNumber(name, values[name] ?? String(fallback), min, max)
    }
    const plan = {
      posts: size('posts'),
      channels: size('channels'),
      members: size('members'),
      commentsEvery: size('comments-every'),
      threads: size('threads'),
      seed: size('seed'),
      until: readUntil(values.until),
    }
    const started = performance.now()
    const progress = openProgress('posts', plan.posts)
    const made = await withParley(async (parley) => {
      await prepareEmpty(parley, values.workspace)
      const workspace = await findChosenWorkspace(parley, values.workspace)
      return { slug: workspace.slug, ...(await seedWorkspace(parley, workspace, plan, progress.report)) }
    }).finally(progress.end)
    const seconds = (performance.now() - started) / 1_000
    console.log(summary(made, seconds))
  },
}

/** Sets up an empty database like the first start of the server, and prints what was done. */
async function prepareEmpty(parley: Parley, slug: string | undefined) {
  const version = await readSchemaVersion(parley)
  if (version > 0) requireLatestSchema(version)
  else console.log(`The database was empty. Migrated: ${(await migrate(parley.engine, parley.clock())).join(', ')}.`)
  if (slug !== undefined) return

  const config = readConfig(process.env)
  const made = await firstStart(parley, config)
  if (!made) return
  console.log(`There was no workspace. Created “${config.workspaceName}”.`)
  console.log(firstStartMessage(parley.links.base, config.adminEmail, made))
}

/** A whole day: content that ends at the current time would differ from run to run. */
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
