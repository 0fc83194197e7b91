import { createPrivateKey, sign } from 'node:crypto'
import type { PushKeys } from '../../gate/push-keys'

const LIFETIME_S = 12 * 60 * 60

/** The `Authorization` header that says who sends a push (RFC 8292). */
export function signPush({ publicKey, privateKey }: PushKeys, endpoint: string, contact: string, now: number): string {
  const point = Buffer.from(publicKey, 'base64url')
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((part) => part.toString('base64url'))
  const key = createPrivateKey({ format: 'jwk', key: { kty: 'EC', crv: 'P-256', x, y, d: privateKey } })
  const claims = { aud: new URL(endpoint).origin, exp: Math.floor(now / 1000) + LIFETIME_S, sub: contact }
  const unsigned = `${encode({ typ: 'JWT', alg: 'ES256' })}.${encode(claims)}`
  const signature = sign('sha256', Buffer.from(unsigned), { key, dsaEncoding: 'ieee-p1363' })
  return `vapid t=${unsigned}.${signature.toString('base64url')}, k=${publicKey}`
}

const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url')
