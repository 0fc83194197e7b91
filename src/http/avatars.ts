import { avatarSizes, avatarSvg, isPictureName } from '../domain/avatar'
import { openCache } from '../domain/caches'
import { isPictureStored, readEmoji, readPicture } from '../gate/files/pictures'
import type { Parley } from '../gate/parley'

const CACHE_BYTES = 8 * 1024 * 1024

/** The headers of pictures, which never change under the same URL. */
const PICTURE_HEADERS = {
  'Cache-Control': 'public, max-age=31536000, immutable',
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'",
  'Cross-Origin-Resource-Policy': 'cross-origin',
  'Access-Control-Allow-Origin': '*',
}

/** `/avatars/{size}/{file}`: initials, or an uploaded picture. Undefined if there is no such avatar. */
export function openAvatars(parley: Parley) {
  const cache = openCache<string, Uint8Array<ArrayBuffer>>(CACHE_BYTES, ({ length }) => length)

  return async function avatar(size: number, file: string): Promise<Response | undefined> {
    const [, name, type] = file.match(/^(.+)\.(svg|webp)$/) ?? []
    if (name === undefined || isPictureName(name) !== (type === 'webp')) return undefined
    const image = isPictureName(name) ? await picture(size, name) : avatarSvg(size, name)
    const headers = { 'Content-Type': type === 'webp' ? 'image/webp' : 'image/svg+xml', ...PICTURE_HEADERS }
    return image === undefined ? undefined : new Response(image, { headers })
  }

  /** Resized once for each size, then cached. A picture that was deleted is not served from the cache. */
  async function picture(size: number, name: string): Promise<Uint8Array<ArrayBuffer> | undefined> {
    if (!Object.values(avatarSizes).some((one) => one === size)) return undefined
    if (!(await isPictureStored(parley, name))) return undefined
    const cached = cache.get(`${size} ${name}`)
    if (cached) return cached

    const original = await readPicture(parley, name)
    if (!original) return undefined
    const resized = (await new Bun.Image(original)
      .resize(size, size)
      .webp({ quality: 86 })
      .bytes()) as Uint8Array<ArrayBuffer>
    cache.set(`${size} ${name}`, resized)
    return resized
  }
}

/** `/emoji/{file}`: the picture of a custom emoji. Undefined if there is none. */
export async function showEmoji(parley: Parley, file: string): Promise<Response | undefined> {
  const [, picture] = file.match(/^(.+)\.webp$/) ?? []
  if (picture === undefined || !isPictureName(picture)) return undefined
  const image = await readEmoji(parley, picture)
  const headers = { 'Content-Type': 'image/webp', ...PICTURE_HEADERS }
  return image && new Response(image as Uint8Array<ArrayBuffer>, { headers })
}
