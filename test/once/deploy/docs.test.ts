import { describe, expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot, read, tablesOf } from '../../documents'
import { parseMetrics } from '../../metrics'
import { startTestServer } from '../../server'

const GUIDE = 'docs/self-hosting.md'
/** Only processes that several share a port with have these. */
const OF_WORKERS = ['parley_workers', 'parley_worker_restarts_total']

describe('docs/self-hosting.md', () => {
  const shown = [...read(GUIDE).matchAll(/^```\w+\n(.*?)^```$/gms)].map(([, text]) => text!)

  test.each(readdirSync(join(projectRoot, 'deploy')).sort())('shows deploy/%s as it is', (file) =>
    expect(shown).toContain(read(`deploy/${file}`)),
  )

  test('lists the actual metrics', async () => {
    const real = [...(await metrics()), ...OF_WORKERS]
    const table = tablesOf(GUIDE).find(({ head }) => head[0] === 'metric')!
    const named = table.rows.flatMap(([cell]) => [...cell!.matchAll(/`([a-z_]+)`/g)].map(([, name]) => name!))
    expect(named.toSorted()).toEqual(real.toSorted())
  })

  test('uses existing metrics in its alerts', async () => {
    const real = [...(await metrics()), ...OF_WORKERS, 'up']
    const { groups } = Bun.YAML.parse(read('deploy/alerts.yml')) as { groups: { rules: { expr: string }[] }[] }
    const asked = groups
      .flatMap(({ rules }) => rules.map(({ expr }) => expr))
      .flatMap((expr) => expr.match(/\b(up|(parley|process)_[a-z_]+)\b/g) ?? [])
      .map((name) => name.replace(/_bucket$/, ''))
    expect(asked.length).toBeGreaterThan(8)
    expect(asked.filter((name) => !real.includes(name))).toEqual([])
  })
})

async function metrics(): Promise<string[]> {
  const server = await startTestServer()
  const families = parseMetrics(await (await fetch(`${server.url}/metrics`)).text())
  await server.stop()
  return [...families.keys()]
}
