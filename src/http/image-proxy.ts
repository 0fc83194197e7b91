import { SHOWN_IMAGES } from '../contract/browser/file-facts'
import { Problem } from '../contract/errors'
import { openQueue } from '../domain/fair-queue'
import { sniff } from '../files/sniff'
import { openBuckets } from '../gate/limits'
import type { Networks } from '../networks'
import { checkDestination, DeliveryError } from '../networks/destination'
import { fetchBytes } from '../networks/requests'
import type { HttpContext } from './respond'
import { sessionOf } from './session/cookie'

const MAX_BYTES = 10 * 1024 * 1024
const MAX_REDIRECTS = 3
const TIMEOUT_MS = 10_000
const MAX_URL_LENGTH = 4_000
const SNIFFED_BYTES = 64 * 1024
/** The limit for each member: a page of posts may have many images, but nobody reads hundreds of them a minute. */
const PER_SECOND = 5
const BURST = 100
const MAX_MEMBERS = 50_000
/** Each running request holds an image in memory. */
const MAX_RUNNING = 8
const MAX_WAITING = 200

const REDIRECTS = [301, 302, 303, 307, 308]

const HEADERS = {
  'Cache-Control': 'private, max-age=86400',
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "sandbox; default-src 'none'",
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Content-Disposition': 'inline',
  'Referrer-Policy': 'no-referrer',
}

/** `/images?url=…`: loads an image from another server for a member who is signed in, so that the other server does not learn who reads. */
export function openImageProxy({ parley, imageProxy, isSecure }: HttpContext) {
  const buckets = openBuckets<number>({
    perSecond: PER_SECOND,
    size: BURST,
    maxBuckets: MAX_MEMBERS,
    clock: parley.clock,
  })
  const enqueue = openQueue(MAX_RUNNING, MAX_WAITING)

  return async function loadImage(request: Request): Promise<Response> {
    if (!imageProxy) throw new Problem('not_found', 'This server does not load images from other servers.')
    const secret = sessionOf(request, isSecure)
    const { author } = await parley.accounts.viewerOf(secret)
    const { isEmpty, waitSeconds } = buckets.take(author.key)
    if (isEmpty)
      throw new Problem('rate_limited', 'You are loading too many images at once. Try again shortly.', undefined, {
        'Retry-After': String(Math.ceil(waitSeconds)),
      })
    const url = new URL(request.url).searchParams.get('url') ?? ''
    if (url === '' || url.length > MAX_URL_LENGTH)
      throw new Problem('malformed_request', 'The parameter `url` must be the URL of an image.')
    const { bytes, type } = await enqueue(() => load(url, imageProxy.allowed), author.key)
    return new Response(bytes, { headers: { ...HEADERS, 'Content-Type': type } })
  }
}

async function load(url: string, allowed: Networks): Promise<{ bytes: Buffer<ArrayBuffer>; type: string }> {
  try {
    const bytes = await follow(url, allowed, performance.now() + TIMEOUT_MS)
    const type = await sniff(bytes.subarray(0, SNIFFED_BYTES), bytes.length <= SNIFFED_BYTES, { name: '' })
    if (!SHOWN_IMAGES.includes(type)) throw notLoaded('It is not a PNG, JPEG, GIF, WebP or AVIF image.')
    return { bytes: bytes as Buffer<ArrayBuffer>, type }
  } catch (error) {
    // The reason is not told, because it could reveal what is in the network of the server.
    if (error instanceof DeliveryError) throw notLoaded('Its server cannot be reached.')
    throw error
  }
}

/** The destination is checked again after every redirect. */
async function follow(first: string, allowed: Networks, until: number): Promise<Buffer> {
  let url = first
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    const timeoutMs = Math.max(1, Math.round(until - performance.now()))
    const destination = await checkDestination(url, { allowed, timeoutMs })
    const { status, headers, bytes } = await fetchBytes({
      url,
      destination,
      headers: { Accept: SHOWN_IMAGES.join(', ') },
      timeoutMs,
      maxBytes: MAX_BYTES + 1,
    })
    if (status === 200 && bytes.length <= MAX_BYTES) return bytes
    if (status === 200) throw notLoaded('It is larger than 10 MB.')
    const next = REDIRECTS.includes(status) && headers.location ? URL.parse(headers.location, url) : null
    if (!next) throw notLoaded(`Its server responded with ${status}.`)
    url = next.href
  }
  throw notLoaded('There are too many redirects.')
}

const notLoaded = (reason: string) => new Problem('not_found', `The image could not be loaded. ${reason}`)
