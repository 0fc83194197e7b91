import { isPictureName } from '../domain/avatar'
import { readEmoji } from '../gate/files/picture'
import type { Parley } from '../gate/parley'
import { PICTURE_HEADERS } from './avatars'

/** `/emoji/{file}`: the picture of a custom emoji. Undefined if there is none. */
export async function showEmoji(parley: Parley, file: string): Promise<Response | undefined> {
  const [, picture] = file.match(/^(.+)\.webp$/) ?? []
  if (picture === undefined || !isPictureName(picture)) return undefined
  const image = await readEmoji(parley, picture)
  const headers = { 'Content-Type': 'image/webp', ...PICTURE_HEADERS }
  return image && new Response(image as Uint8Array<ArrayBuffer>, { headers })
}
