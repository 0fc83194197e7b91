import { dirname } from 'node:path'
import type { Config } from './config'
import { localUrl } from './config/addresses'
import { type FileLimits, MEGABYTE } from './domain/files'
import { type IdPrefix, newId } from './domain/ids'
import { linksFrom } from './domain/links'
import { openStorage } from './files/open'
import type { ReadSpace } from './files/space'
import { openParley, type Parley } from './gate/parley'
import { BODY_LIMIT, type BodyLimits, openBodies } from './http/body'
import { openAnonymousLimits } from './http/limits'
import { allowLongHeads, type Listener, openListener } from './http/listen'
import { openLoadShedding, type QueueLimits } from './http/load-shedding/limit'
import { measureServer, openMeter } from './http/metrics'
import type { HttpContext } from './http/respond'
import { drainingHandlers, type Handlers, handlersOf, holdingHandlers } from './http/routes'
import { openLargeResponses } from './http/to-response'
import { type Jobs, startJobs } from './jobs'
import { startCleanUp } from './jobs/clean-up'
import { type Log, openLog } from './log'
import { openMcp } from './mcp'
import type { CreateServer } from './mcp/server'
import { type Metrics, openMetrics } from './metrics'
import { measureProcess } from './metrics/process'
import { networksFrom } from './networks'
import { prepareDatabase } from './operations/database'
import type { FirstStart } from './operations/first-start'
import { vaultFor } from './operations/secret-key'
import { type Damage, INDEX_ADVICE, SearchIndexDamaged } from './store/engines/damage'
import type { Engine, OnStatement } from './store/engines/engine'
import type { Deadlines } from './store/engines/postgres/deadlines'
import { openEngine } from './store/open'
import { version } from './version'

export interface ServerOptions {
  clock?: () => number
  newId?: (prefix: IdPrefix, now: number) => string
  checkAnswers?: boolean
  /** One of several processes that share the port. */
  isWorker?: boolean
  log?: Log
  onStatement?: OnStatement
  /** How long PostgreSQL is waited for. */
  deadlines?: Partial<Deadlines>
  requestQueue?: QueueLimits
  /** How long a search may take, in milliseconds. */
  searchBudget?: number
  bodyLimits?: BodyLimits
  maxGroup?: number
  /** How much space the disk of a folder has. Default: the file system is asked. */
  readSpace?: ReadSpace
  /** Certificates (PEM) of the mail server to trust instead of the system's. */
  mailCa?: string
  /** Makes the server for each request of an agent, such as one that also has what the conformance suite asks for. */
  createMcpServer?: CreateServer
  /** The metrics of all processes as text, if there are several. Default: the metrics of this process. */
  collectMetrics?: () => Promise<string>
}

export interface Running {
  url: string
  parley: Parley
  /** What the first start created; undefined on later starts. */
  ready: Promise<FirstStart | undefined>
  /** The jobs, once the server is ready. */
  dispatcher(): Jobs['dispatcher'] | undefined
  inboxFiller(): Jobs['inboxFiller'] | undefined
  reminders(): Jobs['reminders'] | undefined
  relisting(): Jobs['relisting'] | undefined
  searchIndexing(): Jobs['searchIndexing'] | undefined
  notifications(): Jobs['notifications'] | undefined
  fileErasing(): Jobs['fileErasing'] | undefined
  /**
   * Goes on serving, but tells proxies to turn to other nodes: `/readyz` is 503, and every response ends its connection. Returns false if
   * it does not serve yet.
   */
  drain(): boolean
  stop(): Promise<void>
}

const GROUPS = [1, 2, 4, 8, 16, 32, 64, 128, 256]
const STOP_TIMEOUT_MS = 10_000
/** How long requests are held at most; for how long, and in how many turns of the event loop after that, none must have arrived. */
const HOLD_MS = 1_000
const QUIET_MS = 10
const QUIET_TURNS = 10
const DAMAGE_LOG_MS = 60_000

/** Listens once the database is available and migrated. */
export function startServer(config: Config, options: ServerOptions = {}): Running {
  const log = options.log ?? openLog({ level: config.logLevel, format: config.logFormat })
  const metrics = openMetrics()
  const engine = openCountedEngine(config, metrics, log, options)
  let isStopping = false
  const fileLimits = fileLimitsOf(config)

  // The public URL may depend on the port.
  const listener = openListener(config.host, config.port, {
    reusePort: options.isWorker ?? false,
    idleTimeout: 60,
    // Bun refuses larger bodies without a problem body; slightly too large pictures still get one.
    maxRequestBodySize: 16 * BODY_LIMIT + fileLimits.maxFileBytes,
  })
  const base = config.publicUrl ?? localUrl(config.host, listener.port)
  const webhookNetworks = networksFrom(config.webhookNetworks)
  const parley = openParley({
    engine,
    links: linksFrom(base),
    log,
    metrics,
    clock: options.clock ?? Date.now,
    newId: options.newId ?? newId,
    rateLimit: config.rateLimit,
    streamLimits: { perCaller: config.streamLimit, total: config.streamTotal },
    cacheBytes: config.cacheMegabytes * 1024 * 1024,
    vault: vaultFor(config),
    webhookNetworks,
    fileParts: {
      storage: openStorage(config),
      limits: fileLimits,
      databaseFolder: engine.kind === 'sqlite' ? dirname(engine.location) : undefined,
      readSpace: options.readSpace,
    },
    isMailConfigured: config.mail !== undefined,
    edition: `${version} ${base}`,
    searchBudget: options.searchBudget,
    checkAnswers: options.checkAnswers,
  })
  const http: HttpContext = {
    parley,
    proxies: networksFrom(config.trustedProxies),
    isSecure: base.startsWith('https:'),
    loadShedding: openLoadShedding(engine.usefulConcurrency, log, options.requestQueue),
    imageProxy: config.hasImageProxy ? { allowed: webhookNetworks } : undefined,
    bodies: openBodies(options.bodyLimits),
    largeResponses: openLargeResponses(),
    anonymousLimits: openAnonymousLimits(config.anonymousRateLimit, parley.clock),
    answerAgent: openMcp(parley, options.createMcpServer),
    meter: openMeter(metrics),
    metricsToken: config.metricsToken,
    collectMetrics: options.collectMetrics ?? (() => metrics.render()),
  }
  measureServer(http)
  const stopMeasuring = measureProcess(metrics)
  const handlers = handlersOf(http)
  const stopCleanUp = startCleanUp(parley, config.eventRetentionDays)
  let jobs: Jobs | undefined

  return {
    url: base,
    parley,
    dispatcher: () => jobs?.dispatcher,
    inboxFiller: () => jobs?.inboxFiller,
    reminders: () => jobs?.reminders,
    relisting: () => jobs?.relisting,
    searchIndexing: () => jobs?.searchIndexing,
    notifications: () => jobs?.notifications,
    fileErasing: () => jobs?.fileErasing,
    ready: Promise.all([prepareDatabase(parley, config), allowLongHeads()]).then(([made]) => {
      if (isStopping) return made
      listener.handle(handlers)
      void parley.personalEvents.appendLeftovers()
      jobs = startJobs(parley, {
        egress: { allowed: webhookNetworks, answerMs: config.webhookTimeoutSeconds * 1000 },
        mail: config.mail && { ...config.mail, ca: options.mailCa },
      })
      return made
    }),
    drain() {
      if (!jobs) return false
      listener.handle(drainingHandlers(handlers))
      return true
    },
    async stop() {
      isStopping = true
      stopCleanUp()
      stopMeasuring()
      const release = jobs && (await holdRequests(listener, drainingHandlers(handlers)))
      const stopped = listener.stop()
      release?.()
      parley.streams.close()
      const timeout = setTimeout(() => void listener.stop(true), STOP_TIMEOUT_MS)
      await stopped
      clearTimeout(timeout)
      await untilIdle(http)
      await jobs?.close()
      await parley.files.previews.close()
      await parley.personalEvents.close()
      parley.changes.close()
      await parley.presence.settled()
      await engine.close()
      log.flush()
    },
  }
}

const fileLimitsOf = ({ fileMaxMegabytes, filesQuotaMegabytes, hasImageProxy }: Config): FileLimits => ({
  maxFileBytes: fileMaxMegabytes * MEGABYTE,
  quotaBytes: filesQuotaMegabytes === 0 ? null : filesQuotaMegabytes * MEGABYTE,
  hasImageProxy,
})

/**
 * On closing, Bun drops connections whose requests it has not read yet, and the system drops connections that were not accepted yet. So new
 * requests are held until none has arrived for a moment. Call the returned function in the same turn to close the socket before the next one.
 */
async function holdRequests(listener: Listener, handlers: Handlers): Promise<() => void> {
  const held = Promise.withResolvers<void>()
  let quiet = 0
  const hold = () => {
    quiet = 0
    return held.promise
  }
  listener.handle(holdingHandlers(handlers, hold))
  const until = performance.now() + HOLD_MS
  // The last turns of the event loop do nothing but look for new connections: during a long one, more would come.
  for (; quiet < QUIET_MS + QUIET_TURNS && performance.now() < until; quiet++)
    await (quiet < QUIET_MS ? Bun.sleep(1) : new Promise((resolve) => setImmediate(resolve)))
  return held.resolve
}

/** Requests whose clients have disconnected are finished too: one may be a write. */
async function untilIdle({ loadShedding, parley: { files } }: HttpContext) {
  const until = performance.now() + STOP_TIMEOUT_MS
  const isIdle = () => loadShedding.isIdle() && files.slots.active() === 0
  while (!isIdle() && performance.now() < until) await Bun.sleep(5)
}

function openCountedEngine(config: Config, metrics: Metrics, log: Log, options: ServerOptions): Engine {
  const count = metrics.counter('parley_database_statements_total', 'Statements sent to the database.')
  const groupSize = metrics.histogram('parley_database_group_size', 'Writes that shared a commit.', GROUPS)
  return openEngine(config.databaseUrl, {
    poolSize: config.databasePool,
    maxGroup: options.maxGroup,
    deadlines: options.deadlines,
    onCommit: (writes) => groupSize('', writes),
    onDamage: logDamage(log),
    onHost: (name, before) =>
      before
        ? log.warn(`The database is at ${name} now, no longer at ${before}`)
        : log.info(`The database is at ${name}`),
    onStatement(sql, values) {
      count('')
      options.onStatement?.(sql, values)
    },
  })
}

/** Logs what to do about a damaged database, at most once a minute. */
function logDamage(log: Log): (damage: Damage) => void {
  let loggedAt = Number.NEGATIVE_INFINITY
  return (damage) => {
    if (performance.now() - loggedAt < DAMAGE_LOG_MS) return
    loggedAt = performance.now()
    const error = String(damage.cause)
    if (damage instanceof SearchIndexDamaged)
      return log.error(`The search index is damaged. ${INDEX_ADVICE}`, { error })
    log.error(
      'The database is damaged. Stop the server, run `parley doctor`, and restore a backup with `parley restore FILE --force`',
      { error },
    )
  }
}
