import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createServer as createTlsServer } from 'node:tls'

export interface Receiver extends AsyncDisposable {
  port: number
  /** Everything that each connection sent, in order. */
  received: string[]
  /** The names that clients asked for (SNI). */
  names: (string | false)[]
  /** Until a client has gone. */
  clientLeft: Promise<void>
}

/** What a receiver does once a request (or at least a part of it) has come. */
type Behaviour = (socket: Socket) => void

/** A receiver that speaks raw TCP, so that it can misbehave. */
export const receiver = (behave: Behaviour, address = '127.0.0.1') =>
  listen((serve) => createServer((socket) => serve(socket)), behave, address)

/** The same over TLS. */
export const secureReceiver = ({ key, cert }: Pair, behave: Behaviour) =>
  listen((serve) => createTlsServer({ key, cert }, (socket) => serve(socket, socket.servername || false)), behave)

type Serve = (socket: Socket, name?: string | false) => void

async function listen(make: (serve: Serve) => Server, behave: Behaviour, address = '127.0.0.1'): Promise<Receiver> {
  const received: string[] = []
  const names: (string | false)[] = []
  const sockets = new Set<Socket>()
  const left = Promise.withResolvers<void>()
  const server = make((socket, name) => {
    const index = received.push('') - 1
    sockets.add(socket)
    if (name !== undefined) names.push(name)
    socket.once('data', () => behave(socket))
    socket.on('data', (chunk) => {
      received[index] = `${received[index]}${chunk}`
    })
    socket.on('error', () => {})
    socket.on('close', () => left.resolve())
  })
  server.on('tlsClientError', () => {})
  await new Promise<void>((done) => server.listen(0, address, done))
  const close = async () => {
    for (const socket of sockets) socket.destroy()
    server.close()
  }
  const { port } = server.address() as AddressInfo
  return { port, received, names, clientLeft: left.promise, [Symbol.asyncDispose]: close }
}

/** Answers these words, and ends. */
export const answers = (text: string): Behaviour => {
  return (socket) => void socket.end(text)
}

/** Writes a piece every few milliseconds, for ever. */
export const trickles = (start: string, piece: string): Behaviour => {
  return (socket) => {
    socket.write(start)
    const timer = setInterval(() => socket.write(piece), 10)
    socket.on('close', () => clearInterval(timer))
  }
}

/** Writes as fast as it is read, for ever. */
export const floods = (start: string, piece: string): Behaviour => {
  return (socket) => {
    const pour = () => {
      while (!socket.destroyed && socket.write(piece));
    }
    socket.on('drain', pour)
    socket.write(start)
    pour()
  }
}

export interface Pair {
  key: string
  cert: string
}

export const hasOpenssl = Bun.which('openssl') !== null

/** A certificate that is signed by its own key, as in `DNS:hooks.example.com,IP:127.0.0.1`. */
export async function selfSigned(names: string): Promise<Pair> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-certificate-'))
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
  const subject = ['-days', '1', '-subj', '/CN=Parley test', '-addext', `subjectAltName=${names}`]
  await Bun.$`openssl req -x509 ${curve} ${subject} -keyout ${key} -out ${cert}`.quiet()
  const pair = { key: await readFile(key, 'utf8'), cert: await readFile(cert, 'utf8') }
  await rm(folder, { recursive: true })
  return pair
}
