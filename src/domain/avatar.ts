import { AVATAR_COLOURS } from '../contract/browser/constants'
import type { AvatarUrls } from '../contract/shapes'

export const avatarSizes = { xs: 20, sm: 24, base: 32, lg: 40, xl: 64, xxl: 112 } as const

/** The favicon: the avatar of a P. */
export const ICON = '/avatars/64/0-P.svg'

/** The file that shows the initials of a name. Its name says what it shows: the number of its colour and the initials. */
export function avatarOf(id: string, name: string): string {
  const colour = [...id].reduce((sum, letter) => (sum * 31 + letter.codePointAt(0)!) >>> 0, 7) % AVATAR_COLOURS.length
  return avatarFile(`${colour}-${initials(name)}`)
}

/** The file of an avatar, escaped for a URL. */
export const avatarFile = (avatar: string): string =>
  `${encodeURIComponent(avatar)}.${isPictureName(avatar) ? 'webp' : 'svg'}`

function initials(name: string): string {
  const words = name.match(/[\p{L}\p{N}]+/gu) ?? []
  const chosen = words.length > 1 ? [words[0]!, words.at(-1)!] : words
  return chosen.map((word) => [...word][0]!.toUpperCase()).join('') || '?'
}

/** Whether this is the name of a picture someone uploaded, instead of colour and initials. */
export const isPictureName = (avatar: string): boolean => /^pic_[0-9a-f]{32}$/.test(avatar)

/** Whether this is the file of a picture someone uploaded. */
export const isPicture = (file: string): boolean => file.endsWith('.webp')

/** The name of a new picture. Nobody can guess one. */
export const newPictureName = (): string => `pic_${crypto.getRandomValues(new Uint8Array(16)).toHex()}`

/** The six addresses of an avatar file. What they show never changes, so they can be kept for ever. */
export function avatarUrls(base: string, file: string): AvatarUrls {
  const url = (size: keyof AvatarUrls) => `${base}/avatars/${avatarSizes[size]}/${file}`
  return { xs: url('xs'), sm: url('sm'), base: url('base'), lg: url('lg'), xl: url('xl'), xxl: url('xxl') }
}

/** The picture itself, or undefined where no such avatar can exist. */
export function avatarSvg(size: number, avatar: string): string | undefined {
  const [, colour, letters] = avatar.match(/^(\d)-((?:[\p{L}\p{N}\p{M}]|\?){1,6})$/u) ?? []
  if (colour === undefined || letters === undefined) return undefined
  if (!Object.values(avatarSizes).some((known) => known === size)) return undefined

  const font = [...letters].length > 1 ? 40 : 48
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${size}" height="${size}" viewBox="0 0 100 100" role="img" aria-label="${letters}"><rect width="100" height="100" rx="22" fill="${AVATAR_COLOURS[Number(colour)]}"/><text x="50" y="50" dy=".36em" fill="#fff" font-family="system-ui,-apple-system,Segoe UI,Roboto,Helvetica,Arial,sans-serif" font-size="${font}" font-weight="600" text-anchor="middle">${letters}</text></svg>`
}
