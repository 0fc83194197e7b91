export type Engine = 'sqlite' | 'postgres'

/** Files that one process of `bun test` runs. */
export interface Batch {
  engine: Engine
  files: string[]
}

/** A process takes a second to load everything, and is faster once its code is compiled; but the last ones should not take long. */
const FILES_PER_BATCH = 25
/** Fewer, as they are slower; more than one, as each process starts a browser and bundles the web app. */
const FILES_PER_BROWSER = 6
const IN_BROWSER = 'test/web/'
/** Tests that do not depend on the engine. */
const ONCE = ['test/once/', 'test/domain/']
/** The tests in the browser that depend on the engine. */
const IN_BROWSER_ON_BOTH = 'test/web/two-browsers.test.ts'
/** Files that measure throughput. */
const EXCLUSIVE = ['torture/overload']
/** Slow files, and folders of them, the slowest first. */
const SLOW = [
  ...['torture/matrix', 'web/model', 'web/axe', 'once/bench', 'once/docs/in-browser', 'once/docs/receivers'],
  ...['once/with-tools/', 'torture/fuzz', 'torture/nodes', 'torture/in-flight', 'torture/postgres-trouble'],
  ...['upgrade/large', 'torture/model', 'torture/faults', 'torture/streams', 'backup/restore', 'once/hostile-'],
  ...['backup/consumers', 'backup/damage', 'search/recall', 'mail/kill-many', 'doctor', 'plans', 'start', 'seed'],
]

/**
 * What the first tier leaves to the second: programs of others that ours are run with, which take long and change rarely; long runs of
 * what has shorter tests of its own; the other forms of pages that are looked at in one form; and the pages of what is tested through
 * the API, apart from those that people are on all day.
 */
const SECOND_TIER = [
  ...['once/bench', 'once/deploy/caddy', 'once/deploy/nginx', 'once/deploy/rolling-restart', 'once/deploy/systemd'],
  ...['once/docs/receivers', 'once/with-tools/mcp-conformance', 'once/with-tools/openapi', 'once/with-tools/sdk'],
  ...['once/with-tools/s3-hanging', 'backup/consumers', 'backup/damage', 'mail/kill-many', 'torture/faults'],
  ...['torture/streams', 'upgrade/large', 'web/attacks', 'web/axe-states-and-looks', 'web/channels', 'web/drafts'],
  ...['web/editor.test', 'web/files', 'web/groups', 'web/invitations', 'web/long-lists', 'web/look', 'web/members'],
  ...['web/new-post', 'web/notifications', 'web/pasted-tables', 'web/print', 'web/saved', 'web/search.test'],
  ...['web/service-worker', 'web/settings'],
]

/**
 * What the first tier runs on PostgreSQL, too: what can differ between the engines. Every operation, every caller, the model,
 * pages, search, plans, counters, transactions, the log, deletion, restoring backups, and what happens when the database fails.
 */
const CAN_DIFFER = [
  ...[
    'every-operation',
    'paging.',
    'plans',
    'counters',
    'shared-writes',
    'member-search',
    'consistent-pages',
    'postgres',
  ],
  ...['search/build', 'search/changes', 'search/check', 'search/costly', 'search/damage', 'search/operators'],
  ...['search/pages', 'search/rights', 'search/words', 'prepared-statements', 'upgrade/upgrade'],
  ...['deletion/large', 'deletion/log', 'deletion/replays'],
  ...[
    'backup/restore',
    'events/history',
    'events/log',
    'events/visibility',
    'inbox/fan-out',
    'unread',
    'stored-booleans',
  ],
  ...['session/join', 'doctor', 'webhooks/nodes', 'webhooks/queue', 'http/hostile-strings'],
  ...['http/pipelining', 'due-work', 'audience', 'inbox/group-mentions', 'channels/defaults'],
  ...['http/idempotency', 'lost-responses', 'channels/archiving', 'mail/kill.test', 'torture/failover'],
  ...['torture/idempotency', 'torture/inbox-kill', 'torture/kill', 'torture/lost-replies', 'torture/matrix'],
  ...['torture/model', 'torture/nodes', 'torture/postgres-trouble'],
]

/** All test files whose path contains one of the words. */
export function findFiles(words: string[]): string[] {
  const isWanted = (file: string) =>
    words.length === 0 || words.some((word) => file.includes(word.replace(/^\.\//, '')))
  return [...new Bun.Glob('test/**/*.test.ts').scanSync('.')].filter(isWanted).sort()
}

export const needsPrograms = (file: string) => /\/once\/(deploy|docs)\//.test(file)
export const needsS3 = (file: string) => file.includes('/with-tools/s3')
export const needsTools = (file: string) => file.includes('/with-tools/') && !needsS3(file)
export const isInBrowser = (file: string) => file.startsWith(IN_BROWSER)

/** The first tier is what `npm test` runs, `all` is both. */
export type Tier = 'first' | 'all'

const startsWithOneOf = (file: string, starts: readonly string[]) =>
  starts.some((start) => file.startsWith(`test/${start}`))

/** Whether a tier runs a file on an engine. */
export function isInTier(file: string, engine: Engine, tier: Tier): boolean {
  if (engine === 'postgres' && !dependsOnEngine(file)) return false
  if (tier === 'all') return true
  if (startsWithOneOf(file, SECOND_TIER)) return false
  return engine === 'sqlite' || startsWithOneOf(file, CAN_DIFFER)
}

/** One batch for each engine. */
export const batchByEngine = (files: string[], tier: Tier = 'all'): Batch[] =>
  (['sqlite', 'postgres'] as const)
    .map((engine) => ({ engine, files: files.filter((file) => isInTier(file, engine, tier)) }))
    .filter((batch) => batch.files.length > 0)

export const dependsOnEngine = (file: string) =>
  file === IN_BROWSER_ON_BOTH || !(ONCE.some((folder) => file.startsWith(folder)) || file.startsWith(IN_BROWSER))

/**
 * Many small batches, in the order in which they should start: first the slow files, each by itself, and the others on the
 * slower engine, so that nothing long is left for the end.
 */
export function planBatches(files: string[], tier: Tier): { parallel: Batch[]; exclusive: Batch[] } {
  const isExclusive = (file: string) => EXCLUSIVE.some((name) => file === `test/${name}.test.ts`)
  const others = files.filter((file) => !isExclusive(file))
  const slow = new Set(SLOW.flatMap((start) => others.filter((file) => file.startsWith(`test/${start}`))))
  const rest = others.filter((file) => !slow.has(file))
  const eachAlone = (alone: string[]) => alone.flatMap((file) => batchByEngine([file], tier))
  const divided = (some: string[], perBatch: number) =>
    batchByEngine(some, tier)
      .reverse()
      .flatMap((batch) => divide(batch, perBatch))
  return {
    parallel: [
      ...eachAlone([...slow]),
      ...divided(rest.filter(isInBrowser), FILES_PER_BROWSER),
      ...divided(
        rest.filter((file) => !isInBrowser(file)),
        FILES_PER_BATCH,
      ),
    ],
    exclusive: eachAlone(files.filter(isExclusive)),
  }
}

function divide({ engine, files }: Batch, perBatch: number): Batch[] {
  const count = Math.ceil(files.length / perBatch)
  return Array.from({ length: count }, (_, at) => ({
    engine,
    // Neighbours in the list are alike, and equally slow.
    files: files.filter((_, index) => index % count === at),
  }))
}
