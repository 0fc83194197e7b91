import { afterEach, describe, expect, setSystemTime, spyOn, test } from 'bun:test'
import { SignatureError, unwrapWebhook } from '../../../src/client'
import { deliver, openReceiver } from '../../webhooks/receiver'
import { world } from '../../world'

afterEach(() => void setSystemTime())

/** A post that was announced to a webhook. */
async function receive() {
  const cast = await world()
  const receiver = openReceiver()
  const hook = await cast.root.webhooks.create({ url: receiver.url, types: ['post.created'] })
  const announce = async () => {
    await cast.root.posts.create({ channel_id: cast.general.id, title: 'Lunch in Łódź? 🦊' })
    await deliver(cast.server)
    return receiver.received.at(-1)!
  }
  return { ...cast, hook, announce, stop: receiver.stop, ...(await announce()) }
}

/** The clock of the receiver is right when a request arrives; other tests of this process turn on that of the server. */
const arrive = (headers: Record<string, string>) => void setSystemTime(Number(headers['webhook-timestamp']) * 1000)

describe('webhooks.unwrap', () => {
  test('returns the event of a webhook, as text or bytes, with the headers of any server', async () => {
    const { root, hook, headers, body, event, stop } = await receive()
    const capitalized = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]))
    arrive(headers)
    const lists = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]]))
    for (const given of [headers, new Headers(headers), capitalized, lists])
      for (const text of [body, Buffer.from(body), new TextEncoder().encode(body)])
        expect(await root.webhooks.unwrap(text, given, hook.secret)).toEqual(event)
    expect(event.type).toBe('post.created')
    stop()
  })

  test('accepts both secrets for a day after one is replaced', async () => {
    const { root, hook, announce, stop } = await receive()
    const { secret } = await root.webhooks.rotateSecret({ id: hook.id })
    const { body, headers, event } = await announce()
    expect(headers['webhook-signature']!.split(' ').length).toBe(2)
    arrive(headers)
    for (const each of [hook.secret, secret]) expect(await unwrapWebhook(body, headers, each)).toEqual(event)
    stop()
  })

  test('refuses what is forged, altered, incomplete, too old or from the future', async () => {
    const { hook, body, headers, stop } = await receive()
    stop()
    arrive(headers)
    const refused = async (text: unknown, given: Record<string, string>, secret = hook.secret) => {
      const error = await unwrapWebhook(text as string, given, secret).then(
        () => undefined,
        (thrown) => thrown,
      )
      expect(error).toBeInstanceOf(SignatureError)
      return error.message as string
    }
    const { 'webhook-signature': signature, ...unsigned } = headers as Record<string, string>
    await refused(`${body} `, headers)
    await refused(body, headers, 'whsec_c2VjcmV0')
    await refused(body, { ...headers, 'webhook-id': 'evt_1' })
    await refused(body, { ...headers, 'webhook-timestamp': `${Number(headers['webhook-timestamp']) + 1}` })
    await refused(body, { ...headers, 'webhook-timestamp': 'now' })
    await refused(body, { ...unsigned, 'webhook-signature': signature!.replace('v1,', 'v2,') })
    await refused(body, { ...unsigned, 'webhook-signature': 'v1,%%% v1 ,' })
    expect(await refused(body, unsigned)).toContain('missing')
    // The body is hashed once, not once for each signature that a stranger sends.
    const many = { ...unsigned, 'webhook-signature': Array(300).fill(signature).join(' ') }
    const sign = spyOn(crypto.subtle, 'sign')
    const verify = spyOn(crypto.subtle, 'verify')
    await refused('x'.repeat(100_000), many)
    expect(sign.mock.calls.length + verify.mock.calls.length).toBe(1)
    sign.mockRestore()
    verify.mockRestore()
    for (const secret of ['not base64: %', null as unknown as string])
      expect(await refused(body, headers, secret)).toContain('whsec_')
    expect(await refused(JSON.parse(body), headers)).toContain('parsed')
    const sentAt = Number(headers['webhook-timestamp']) * 1000
    for (const minutes of [-6, 6]) {
      setSystemTime(sentAt + minutes * 60_000)
      expect(await refused(body, headers)).toContain('five minutes')
    }
    for (const minutes of [-4, 4]) {
      setSystemTime(sentAt + minutes * 60_000)
      expect((await unwrapWebhook(body, headers, hook.secret)).type).toBe('post.created')
    }
  })
})
