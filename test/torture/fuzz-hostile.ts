import type { Random } from '../random-writes'

const post = (head: string, body = '') =>
  `POST /v2/posts HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n${head}\r\n\r\n${body}`
const get = (line: string, headers = 'Host: x\r\n') => `${line}\r\n${headers}\r\n`

/** Invalid HTTP: must be refused, or end the connection, without affecting other requests. */
const hostileRequests: ((token: string, random: Random) => string)[] = [
  () => '\r\n\r\n',
  () => '\u0000\u0001\u0002\u00ff',
  (_, random) => Array.from({ length: random.below(4_000) }, () => String.fromCharCode(random.below(256))).join(''),
  () => '\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003',
  () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  () => get('GET'),
  () => get('GET /v2/me'),
  () => get('GET  /v2/me  HTTP/1.1'),
  () => get('GET /v2/me HTTP/9.9'),
  () => get('get /v2/me HTTP/1.1'),
  () => get('GET v2/me HTTP/1.1'),
  () => get('GET * HTTP/1.1'),
  () => get('CONNECT elsewhere.example:443 HTTP/1.1'),
  () => get(`${'X'.repeat(70_000)} / HTTP/1.1`),
  () => get(`GET /${'x'.repeat(70_000)} HTTP/1.1`),
  () => get('GET /v2/me HTTP/1.1', ''),
  () => get('GET /v2/me HTTP/1.1', 'Host: a\r\nHost: b\r\n'),
  () => get('GET /v2/me HTTP/1.1', 'Host : x\r\n'),
  () => get('GET /v2/me HTTP/1.1', 'Host: x\r\nX\r\n'),
  () => get('GET /v2/me HTTP/1.1', 'Host: x\r\n: x\r\n'),
  () => get('GET /v2/me HTTP/1.1', 'Host: x\r\nX: a\r\n b\r\n'),
  () => get('GET /v2/me HTTP/1.1', 'Host: x\r\nX: a\u0000b\r\n'),
  () => get('GET /v2/me HTTP/1.1', `Host: x\r\nX: ${'x'.repeat(70_000)}\r\n`),
  () => get('GET /v2/me HTTP/1.1', `Host: x\r\n${'a: b\r\n'.repeat(5_000)}`),
  (token) => get('GET /v2/me HTTP/1.1', `Host: a/b?c#d\r\nAuthorization: Bearer ${token}\r\n`),
  (token) => get('GET /v2/members?limit=1 HTTP/1.0', `Authorization: Bearer ${token}\r\n`),
  () => get('GET / HTTP/1.0', ''),
  () => 'GET /v2/me HTTP/1.1\nHost: x\n\n',
  () => 'GET /v2/me HTTP/1.1\r\nHost: x\r\nAuthor',
  (token) => post(`Authorization: Bearer ${token}\r\nContent-Length: 500`, '{"channel_id":'),
  (token) => post(`Authorization: Bearer ${token}\r\nContent-Length: 2000000`, 'x'.repeat(10_000)),
  () => post('Content-Length: 99999999999999999999', '{}'),
  () => post('Content-Length: -1', '{}'),
  () => post('Content-Length: 2x', '{}'),
  () => post('Content-Length: 2\r\nContent-Length: 3', '{} '),
  () => post('Content-Length: 4\r\nTransfer-Encoding: chunked', '0\r\n\r\n'),
  () => post('Transfer-Encoding: chunked, identity', '0\r\n\r\n'),
  () => post('Transfer-Encoding: gzip', '0\r\n\r\n'),
  (token) => post(`Authorization: Bearer ${token}\r\nTransfer-Encoding: chunked`, 'zz\r\n{}\r\n0\r\n\r\n'),
  (token) => post(`Authorization: Bearer ${token}\r\nTransfer-Encoding: chunked`, '5\r\n{}\r\n0\r\n\r\n'),
  (token) =>
    post(`Authorization: Bearer ${token}\r\nTransfer-Encoding: chunked`, 'ffffffffffffffff\r\n{}\r\n0\r\n\r\n'),
  (token) => post(`Authorization: Bearer ${token}\r\nTransfer-Encoding: chunked`, '-2\r\n{}\r\n0\r\n\r\n'),
  (token) =>
    post(`Authorization: Bearer ${token}\r\nTransfer-Encoding: chunked`, `2;${'x'.repeat(70_000)}\r\n{}\r\n0\r\n\r\n`),
  (token) => post(`Authorization: Bearer ${token}\r\nTransfer-Encoding: chunked`, '2\r\n{}\r\n0\r\nX: y\r\n\r\n'),
  (token) => post(`Authorization: Bearer ${token}\r\nExpect: 200-maybe\r\nContent-Length: 2`, '{}'),
  // Request smuggling: a second request within the body of the first.
  (token) => `${post(`Authorization: Bearer ${token}\r\nContent-Length: 1`, '{}')}${get('GET /v2/me HTTP/1.1')}`,
]

/** Random hostile bytes to send on a separate connection. */
export const hostileBytes = (token: string, random: Random): Buffer =>
  Buffer.from(random.pick(hostileRequests)(token, random), 'latin1')

/** Statuses of requests that could not be parsed. */
export const isRefusal = (status: number) => (status >= 400 && status < 500) || status === 505 || status === 501
