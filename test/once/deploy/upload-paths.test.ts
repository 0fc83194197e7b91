import { expect, test } from 'bun:test'
import { settings } from '../../../src/config/settings'
import { operations } from '../../../src/contract'
import type { Operation } from '../../../src/contract/operation'
import { MEGABYTE } from '../../../src/domain/files'
import { read } from '../../documents'

/** The locations of deploy/nginx.conf that take larger bodies than the others: the expression, and the limit in MiB. */
const locations = [...read('deploy/nginx.conf').matchAll(/^ {4}location ~ (\S+) \{\n(.*?)^ {4}\}$/gms)].flatMap(
  ([, expression, body]) => {
    const limit = body!.match(/client_max_body_size (\d+)m;/)?.[1]
    return limit ? [{ expression: new RegExp(expression!), mebibytes: Number(limit), body: body! }] : []
  },
)

test('nginx takes large bodies for every operation with a file as its body, and for no other path', () => {
  const all: Operation[] = Object.values(operations)
  const takesFile = ({ picture, upload }: Operation) => picture !== undefined || upload === true
  const paths = (some: Operation[]) => [...new Set(some.map(({ path }) => path.replace(/:\w+/g, 'x')))].toSorted()
  const isLarge = (path: string) => locations.some(({ expression }) => expression.test(path))

  expect(paths(all.filter(takesFile)).length).toBeGreaterThan(4)
  expect(paths(all).filter(isLarge)).toEqual(paths(all.filter(takesFile)))
  for (const path of ['/files', '/v2/files/x/content', '/v2/emoji/x/y', '/hooks/x', '/mcp', '/x/v2/files'])
    expect([path, isLarge(path)]).toEqual([path, false])
})

test('nginx takes as much as FILE_MAX_MB and the rest of a form, and does not write it to its disk', () => {
  expect(locations).toHaveLength(1)
  const [{ mebibytes, body }] = locations as [(typeof locations)[0]]
  const room = mebibytes * 1024 * 1024 - Number(settings.FILE_MAX_MB.fallback) * MEGABYTE
  expect(room).toBeGreaterThan(10_000)
  expect(body).toContain('proxy_request_buffering off;')
})
