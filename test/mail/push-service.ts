import { createDecipheriv, createECDH, createPublicKey, hkdfSync, randomBytes, verify } from 'node:crypto'

export interface Pushed {
  message: { title: string; body: string; path: string; tag: string }
  headers: Headers
  /** The address it came to. */
  endpoint: string
}

/** A push service, and a browser that is subscribed there. Messages are decrypted as a browser does (RFC 8291). */
export function openPushService() {
  const pair = createECDH('prime256v1')
  const publicKey = pair.generateKeys()
  const auth = randomBytes(16)
  const pushed: Pushed[] = []
  const answers: number[] = []
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      const body = Buffer.from(await request.arrayBuffer())
      const status = answers.shift() ?? 201
      if (status === 201)
        pushed.push({ message: JSON.parse(decrypt(body)), headers: request.headers, endpoint: request.url })
      return new Response(null, { status, headers: status === 307 ? { Location: 'http://127.0.0.1:9/' } : {} })
    },
  })
  return {
    pushed,
    /** The statuses of the next responses. */
    answers,
    subscription: {
      endpoint: `http://127.0.0.1:${server.port}/push/1`,
      keys: { p256dh: publicKey.toString('base64url'), auth: auth.toString('base64url') },
    },
    close: () => server.stop(true),
  }

  function decrypt(body: Buffer): string {
    const [salt, idLength] = [body.subarray(0, 16), body[20]!]
    const sender = body.subarray(21, 21 + idLength)
    const sealed = body.subarray(21 + idLength)
    const info = Buffer.concat([Buffer.from('WebPush: info\0'), publicKey, sender])
    const secret = Buffer.from(hkdfSync('sha256', pair.computeSecret(sender), auth, info, 32))
    const derive = (what: string, length: number) =>
      Buffer.from(hkdfSync('sha256', secret, salt, Buffer.from(`Content-Encoding: ${what}\0`), length))
    const decipher = createDecipheriv('aes-128-gcm', derive('aes128gcm', 16), derive('nonce', 12))
    decipher.setAuthTag(sealed.subarray(-16))
    const padded = Buffer.concat([decipher.update(sealed.subarray(0, -16)), decipher.final()])
    return padded.subarray(0, padded.lastIndexOf(2)).toString()
  }
}

/** The claims of a VAPID header, if its signature is right. */
export function verifyVapid(header: string): { claims: Record<string, unknown>; key: string } {
  const [, head, claims, signature, key] = /^vapid t=([^.]+)\.([^.]+)\.([^,]+), k=(.+)$/.exec(header)!
  const point = Buffer.from(key!, 'base64url')
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((part) => part.toString('base64url'))
  const publicKey = createPublicKey({ format: 'jwk', key: { kty: 'EC', crv: 'P-256', x, y } })
  const options = { key: publicKey, dsaEncoding: 'ieee-p1363' } as const
  if (!verify('sha256', Buffer.from(`${head}.${claims}`), options, Buffer.from(signature!, 'base64url')))
    throw new Error('The signature is wrong.')
  return { claims: JSON.parse(Buffer.from(claims!, 'base64url').toString()), key: key! }
}
