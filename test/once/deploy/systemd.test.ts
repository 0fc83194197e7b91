import { beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readConfig } from '../../../src/config'
import { settings } from '../../../src/config/settings'
import { programNamed } from '../../debian'
import { projectRoot, read } from '../../documents'

/** In tenths, as `systemd-analyze` takes it; it is 13 with systemd 252. */
const MAX_EXPOSURE = '20'

describe('deploy/parley.service', () => {
  let analyze: string
  // It may have to be installed.
  beforeAll(() => {
    analyze = programNamed('systemd-analyze')
  }, 600_000)

  test('has a low exposure score', () => {
    const words = ['security', '--offline=true', `--threshold=${MAX_EXPOSURE}`, 'deploy/parley.service']
    const { exitCode, stdout, stderr } = Bun.spawnSync([analyze, ...words], { cwd: projectRoot })
    expect([exitCode, String(stderr)]).toEqual([0, ''])
    expect(String(stdout)).toContain('OK')
  })

  test('has no unknown directives', () => {
    const folder = mkdtempSync(join(tmpdir(), 'parley-unit-'))
    const unit = join(folder, 'parley.service')
    writeFileSync(unit, read('deploy/parley.service').replace('/usr/local/bin/parley serve', '/bin/true'))
    const { exitCode, stderr } = Bun.spawnSync([analyze, 'verify', '--man=no', unit])
    const lines = String(stderr)
      .split('\n')
      .filter((line) => line.includes(unit) || line.startsWith('parley.service'))
    expect([exitCode, lines]).toEqual([0, []])
    rmSync(folder, { recursive: true })
  })

  test('allows just-in-time compilation', () =>
    expect(read('deploy/parley.service')).not.toMatch(/^MemoryDenyWriteExecute=/m))

  test('contains valid settings only', () => {
    const lines = read('deploy/parley.env').split('\n').filter(Boolean)
    const given = Object.fromEntries(lines.filter((line) => !line.startsWith('#')).map((line) => line.split('=')))
    const named = lines.map((line) => line.match(/^#?([A-Z_]+)=/)?.[1]).filter((name) => name !== undefined)
    expect(named.filter((name) => !(name in settings))).toEqual([])
    expect(readConfig(given)).toMatchObject({ host: '127.0.0.1', trustedProxies: ['127.0.0.1'] })
    expect(read('deploy/parley.service')).toContain(`EnvironmentFile=${lines[0]!.slice(2)}`)
  })
})
