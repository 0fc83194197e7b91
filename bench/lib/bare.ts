/** What Parley is compared with: Bun's server with nothing in it. The bytes are ready and only have to be sent. */
const texts: string[] = await Bun.file(process.argv[2]!).json()
// Bytes make the stricter comparison: a string would be encoded again for every response.
const bodies = texts.map((text) => Buffer.from(text))
const headers = { 'Content-Type': 'application/json' }
let next = 0

const server = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  fetch: () =>
    bodies.length === 0
      ? new Response(null, { status: 304 })
      : new Response(bodies[next++ % bodies.length], { headers }),
})
console.log(server.url.href.replace(/\/$/, ''))

export {}
