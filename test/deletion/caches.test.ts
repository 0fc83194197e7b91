import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Running } from '../../src/server'
import { startTestServer } from '../server'
import { type Person, world } from '../world'
import { type Case, cases, found } from './secrets'

/** Two servers on one database: what one deletes, the other remembers. */
let servers: Running[] = []
beforeAll(async () => {
  const one = await startTestServer()
  servers = [one, await startTestServer({ DATABASE_URL: one.config.databaseUrl })]
})
afterAll(async () => {
  for (const server of servers.toReversed()) await server.stop()
})

const forms = ['application/json', 'text/markdown']

interface Read {
  url: string
  accept: string
  etag: string | null
}

/** Reads a path on each server, often enough that answers are remembered whole. */
async function readEverywhere({ token }: Person, path: string): Promise<{ text: string; reads: Read[] }> {
  let text = ''
  const reads: Read[] = []
  for (const { url } of servers)
    for (const accept of forms)
      for (let turn = 0; turn < 3; turn++) {
        const response = await fetch(url + path, { headers: { Authorization: `Bearer ${token}`, Accept: accept } })
        text += await response.text()
        reads.push({ url: url + path, accept, etag: response.headers.get('etag') })
      }
  return { text, reads }
}

/** Lists page by page too, with the cursors of both ways. */
const pathsOf = ({ paths }: Case) => paths.flatMap((path) => (isList(path) ? [path, `${path}?limit=1`] : [path]))
const isList = (path: string) => /\/(posts|comments|messages)$/.test(path)

async function cursorsOf({ token }: Person, path: string): Promise<string[]> {
  const response = await fetch(servers[0]!.url + path, { headers: { Authorization: `Bearer ${token}` } })
  const { next_cursor, prev_cursor } = (await response.json()) as { next_cursor?: string; prev_cursor?: string }
  return [next_cursor, prev_cursor].filter((cursor) => cursor != null).map((cursor) => `${path}&after=${cursor}`)
}

for (const [name, make] of Object.entries(cases))
  describe(`${name}, once deleted`, () => {
    test('is in no response of any server, and old ETags do not match', async () => {
      const cast = await world(servers[0])
      const made = await make(cast)
      const paths = pathsOf(made)
      for (const path of paths.filter((each) => each.includes('?'))) paths.push(...(await cursorsOf(cast.ada, path)))
      const reads: Read[] = []
      let text = ''
      for (const path of paths) {
        const read = await readEverywhere(cast.ada, path)
        reads.push(...read.reads)
        text += read.text
      }
      expect(found(text, made).length).toBeGreaterThan(0)

      await made.remove()
      for (const { url, accept, etag } of reads) {
        if (etag === null) continue
        const headers = { Authorization: `Bearer ${cast.ada.token}`, Accept: accept, 'If-None-Match': etag }
        const response = await fetch(url, { headers })
        expect([url, response.status]).not.toEqual([url, 304])
        expect([url, found(await response.text(), made)]).toEqual([url, []])
      }
      for (const path of paths) expect(found((await readEverywhere(cast.ada, path)).text, made)).toEqual([])
    }, 300_000)
  })
