import { dirname } from 'node:path'
import { type CleanedType, isCleaned, PICTURE_TYPES } from '../contract/browser/file-facts'
import { onDisk, removeQuietly } from './disk'
import { scanGif } from './metadata/gif'
import { scanHeif } from './metadata/heif'
import { scanJpeg } from './metadata/jpeg'
import { scanMovie } from './metadata/movie'
import { assemble, isUnchanged, type Scan, sizeOf } from './metadata/pieces'
import { scanPng } from './metadata/png'
import { scanWebm } from './metadata/webm'
import { scanWebp } from './metadata/webp'
import { BrokenFile, type ByteReader, openReader } from './reader'
import { type Claim, sniff, UNKNOWN_TYPE } from './sniff'
import type { Hold, Space } from './space'
import type { StagedFile } from './storage'

/** The image would take too much memory to show. The message is shown to the user. */
export class InvalidImage extends Error {}

export const MAX_PIXELS = 64_000_000
/** The limit for all frames together. One minute at 640 × 480 has about half as many. */
const MAX_ANIMATED_PIXELS = 1_000_000_000
const HEAD_BYTES = 64 * 1024

export interface Inspected {
  contentType: string
  /** The size in which it is shown, in pixels; null if it has none or it is not known. */
  width: number | null
  height: number | null
  /** The file, without metadata if its type is a `CleanedType`. If something was removed, it is a new file, and the inspected one is deleted. */
  staged: StagedFile
}

const scanners: Record<CleanedType, (reader: ByteReader) => Promise<Scan>> = {
  'image/jpeg': scanJpeg,
  'image/png': scanPng,
  'image/webp': scanWebp,
  'image/gif': scanGif,
  'image/heic': scanHeif,
  'image/heif': scanHeif,
  'image/heic-sequence': scanHeif,
  'image/heif-sequence': scanHeif,
  'image/avif': scanHeif,
  'video/mp4': scanMovie,
  'video/quicktime': scanMovie,
  'video/3gpp': scanMovie,
  'video/3gpp2': scanMovie,
  'audio/mp4': scanMovie,
  'video/webm': scanWebm,
  'video/matroska': scanWebm,
}

export const hasPreviews = (contentType: string): boolean => PICTURE_TYPES.includes(contentType)

/**
 * Detects the type of a staged file, and removes location and other metadata from images and videos in common formats. A broken
 * one is kept unchanged, as a file of unknown type; so is a file in any other format, such as TIFF. If this function throws, the staged file is deleted.
 */
export async function inspect(staged: StagedFile, claim: Claim, space?: Space): Promise<Inspected> {
  try {
    return await onDisk(() => examine(staged, claim, space))
  } catch (error) {
    await removeQuietly(staged.path)
    throw error
  }
}

async function examine(staged: StagedFile, claim: Claim, space: Space | undefined): Promise<Inspected> {
  const reader = await openReader(staged.path)
  try {
    const head = staged.size === 0 ? Buffer.alloc(0) : await reader.read(0, Math.min(HEAD_BYTES, staged.size))
    const contentType = await sniff(head, staged.size <= HEAD_BYTES, claim)
    if (!isCleaned(contentType)) return { contentType, width: null, height: null, staged }

    const { width, height, animatedPixels, pieces } = await scanners[contentType](reader)
    if (hasPreviews(contentType)) refuseBombs(width ?? 0, height ?? 0, animatedPixels)
    if (isUnchanged(pieces, staged.size)) return { contentType, width, height, staged }
    const clean = (hold?: Hold) => assemble(reader, pieces, dirname(staged.path), hold)
    const cleaned = await (space ? space.hold(sizeOf(pieces), clean) : clean())
    await removeQuietly(staged.path)
    return { contentType, width, height, staged: cleaned }
  } catch (error) {
    if (!(error instanceof BrokenFile)) throw error
    return { contentType: UNKNOWN_TYPE, width: null, height: null, staged }
  } finally {
    await reader.close()
  }
}

function refuseBombs(width: number, height: number, animatedPixels: number): void {
  if (width * height > MAX_PIXELS)
    throw new InvalidImage(
      `An image can have at most ${MAX_PIXELS / 1e6} million pixels. This one has ${width} × ${height}.`,
    )
  if (animatedPixels > MAX_ANIMATED_PIXELS) throw new InvalidImage('This animation is too long or too large.')
}
