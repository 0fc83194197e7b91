import type { AddressInfo } from 'node:net'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'

/** A mail as it arrived. */
export interface ReceivedMail {
  to: string[]
  raw: string
  headers: Map<string, string>
  text: string
  html: string
}

export interface Mailbox {
  port: number
  mails: ReceivedMail[]
  /** Called when a mail has come, before the server says so. */
  onAccepted?: () => Promise<void>
  /** Mails to one address. */
  to(address: string): ReceivedMail[]
  close(): Promise<void>
}

/** A real SMTP server. Without options it accepts everything, unencrypted. */
export async function openMailbox(options: SMTPServerOptions & { port?: number } = {}): Promise<Mailbox> {
  const mails: ReceivedMail[] = []
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: options.key ? [] : ['STARTTLS'],
    onData(stream, session, done) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        const to = session.envelope.rcptTo.map(({ address }) => address)
        mails.push(parseMail(to, Buffer.concat(chunks).toString('latin1')))
        void (mailbox.onAccepted?.() ?? Promise.resolve()).then(() => done())
      })
    },
    ...options,
  })
  // A client that goes away is no error of the test.
  server.on('error', () => {})
  await new Promise<void>((listening) => server.listen(options.port ?? 0, '127.0.0.1', () => listening()))
  const mailbox: Mailbox = {
    port: (server.server.address() as AddressInfo).port,
    mails,
    to: (address) => mails.filter((mail) => mail.to.includes(address)),
    close: () => new Promise((closed) => server.close(() => closed())),
  }
  return mailbox
}

/** An error with the code that the server responds with. */
export const refusal = (responseCode: number, message: string) => Object.assign(new Error(message), { responseCode })

function parseMail(to: string[], raw: string): ReceivedMail {
  const { headers, body } = split(raw)
  const boundary = /boundary="?([^";]+)"?/.exec(headers.get('content-type') ?? '')?.[1]
  const parts = boundary
    ? body
        .split(`--${boundary}`)
        .slice(1, -1)
        .map((part) => split(part.trimStart()))
    : []
  const content = (type: string) => {
    const part = parts.find((each) => each.headers.get('content-type')?.startsWith(type))
    return part ? decode(part.body, part.headers.get('content-transfer-encoding') ?? '') : ''
  }
  return { to, raw, headers, text: content('text/plain'), html: content('text/html') }
}

function split(raw: string) {
  const end = raw.indexOf('\r\n\r\n')
  const lines = raw
    .slice(0, end)
    .replace(/\r\n[ \t]+/g, ' ')
    .split('\r\n')
  const headers = new Map(
    lines.map((line) => [line.split(':', 1)[0]!.toLowerCase(), decodeWords(line.slice(line.indexOf(':') + 1).trim())]),
  )
  return { headers, body: raw.slice(end + 4) }
}

function decode(body: string, encoding: string): string {
  if (encoding === 'base64') return Buffer.from(body, 'base64').toString()
  if (encoding === 'quoted-printable') return Buffer.from(unquote(body), 'latin1').toString()
  return Buffer.from(body, 'latin1').toString()
}

const unquote = (text: string) =>
  text.replace(/=\r\n/g, '').replace(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)))

/** Encoded words (RFC 2047). */
const decodeWords = (value: string) =>
  value
    .replace(/\?= =\?/g, '?==?')
    .replace(/=\?utf-8\?([BQ])\?([^?]*)\?=/gi, (_, kind, word) =>
      kind.toUpperCase() === 'B'
        ? Buffer.from(word, 'base64').toString()
        : Buffer.from(unquote(word.replaceAll('_', ' ')), 'latin1').toString(),
    )
