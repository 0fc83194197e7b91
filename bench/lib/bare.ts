/** The yardstick: Bun's server, with nothing in it. The bytes are ready; only the sending is left. */
const texts: string[] = await Bun.file(process.argv[2]!).json()
// Bytes are the stricter yardstick: a string would be encoded anew for every answer.
const bodies = process.argv[3] === 'text' ? texts : texts.map((text) => Buffer.from(text))
const headers = { 'Content-Type': 'application/json' }
const isEmpty = process.argv[3] === 'empty'
let next = 0

const server = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  fetch: () =>
    isEmpty ? new Response(null, { status: 304 }) : new Response(bodies[next++ % bodies.length], { headers }),
})
console.log(server.url.href.replace(/\/$/, ''))

export {}
