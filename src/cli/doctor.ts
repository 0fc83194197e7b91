import { existsSync } from 'node:fs'
import { constants, setPriority } from 'node:os'
import { resolve } from 'node:path'
import { type Config, readConfig } from '../config'
import { StartError } from '../domain/start-error'
import { openStorage } from '../files/open'
import { runDoctor } from '../operations/doctor'
import { type Finding, fail, pass } from '../store/engines/damage'
import { noProgress } from '../store/engines/engine'
import { openEngineForCommand } from '../store/open'
import { commit, version } from '../version'
import type { Command } from './command'
import { checkMail } from './mail'
import { openProgress } from './output'
import { findUnknownSettings } from './start-checks'

const YIELD_AFTER_MS = 2_000

export const doctor: Command = {
  name: 'doctor',
  summary: 'Check the settings, e-mail, the database, all counters and the file storage, and say how to fix problems.',
  details: `The exit code is 0 if everything is fine, otherwise 1. Works while the server runs, and lets it go first. Shows its progress in a terminal.
If SMTP_URL is set, it connects to the mail server and logs in, for at most ten seconds, and sends nothing.`,
  options: {
    full: { type: 'boolean', help: 'Also read every row and every index to find damage.' },
    files: { type: 'boolean', help: 'Also read every uploaded file to find damage.' },
    json: { type: 'boolean', help: 'Print one JSON object instead of text.' },
  },
  async run({ flags }) {
    setTimeout(yieldToServer, YIELD_AFTER_MS).unref()
    const findings: Finding[] = []
    for await (const finding of examine({ isFull: flags.has('full'), isReadingFiles: flags.has('files') })) {
      findings.push(finding)
      if (!flags.has('json')) console.log(lineOf(finding))
    }
    const faults = findings.filter(({ isOk }) => !isOk).length
    if (flags.has('json')) console.log(JSON.stringify(toReport(findings, faults), null, 2))
    else
      console.log(
        faults === 0 ? '\nEverything is fine.' : `\n${faults} ${faults === 1 ? 'problem' : 'problems'} found.`,
      )
    process.exitCode = faults === 0 ? 0 : 1
  },
}

/** A check of a large database lets a server on the same machine go first. */
function yieldToServer() {
  try {
    setPriority(constants.priority.PRIORITY_BELOW_NORMAL)
  } catch {
    // Not allowed everywhere. The checks are the same.
  }
}

interface Extent {
  isFull: boolean
  isReadingFiles: boolean
}

async function* examine(extent: Extent): AsyncGenerator<Finding> {
  const config = readSettings()
  if (Array.isArray(config)) return yield* config
  yield pass('settings', ['all valid', ...findUnknownSettings(process.env)].join('. ').replace(/\.$/, ''))
  yield checkPublicUrl(config)
  yield await checkMail(config)

  const file = config.databaseUrl.match(/^sqlite:(.+)$/)?.[1]
  if (file && !existsSync(resolve(file)))
    return yield fail('database', `${resolve(file)} does not exist yet`, 'Start the server once, or set DATABASE_URL.')
  yield* examineDatabase(config, extent)
}

async function* examineDatabase(config: Config, { isFull, isReadingFiles }: Extent): AsyncGenerator<Finding> {
  try {
    const engine = openEngineForCommand(config.databaseUrl)
    try {
      const files = { storage: openStorage(config), location: config.filesUrl, isReadingAll: isReadingFiles }
      const progress = process.stderr.isTTY ? openProgress : noProgress
      yield* runDoctor(engine, config, Date.now(), { isFull, files, openProgress: progress })
    } finally {
      await engine.close()
    }
  } catch (error) {
    if (!(error instanceof StartError)) throw error
    yield fail('database', error.message, 'Nothing else was checked.')
  }
}

/** The settings, or a finding for each invalid one. */
function readSettings(): Config | Finding[] {
  try {
    return readConfig(process.env)
  } catch (error) {
    if (!(error instanceof StartError)) throw error
    return error.message
      .split('\n')
      .map((line) => fail('settings', line, 'Change the environment variable; `parley serve --help` lists them all.'))
  }
}

function checkPublicUrl({ publicUrl, port }: Config): Finding {
  if (!publicUrl)
    return pass(
      'PUBLIC_URL',
      `not set, so links start with http://localhost:${port}; set it if others should be able to open them`,
    )
  const { protocol, hostname } = new URL(publicUrl)
  if (['0.0.0.0', '[::]'].includes(hostname))
    return fail(
      'PUBLIC_URL',
      `${publicUrl} is not an address that a browser can open`,
      'Set it to the address people use.',
    )
  const isLocal = hostname === 'localhost' || !hostname.includes('.') || /^[\d.]+$/.test(hostname)
  return protocol === 'http:' && !isLocal
    ? fail('PUBLIC_URL', `${publicUrl} is not encrypted`, 'Use https, with a proxy that has a certificate.')
    : pass('PUBLIC_URL', publicUrl)
}

const lineOf = ({ what, isOk, message, advice }: Finding) =>
  isOk ? `✓ ${what}: ${message}` : `✗ ${what}: ${message.replace(/\.$/, '')}. → ${advice}`

const toReport = (findings: readonly Finding[], faults: number) => ({
  version,
  commit: commit ?? null,
  is_healthy: faults === 0,
  problems_count: faults,
  checks: findings.map(({ what, isOk, message, advice = null }) => ({
    name: what,
    is_ok: isOk,
    message: message,
    advice,
  })),
})
