import type { Piece } from './pieces'

/** The size of an image or a video, and the file without metadata. */
export interface Scan {
  /** The size in which it is shown, in pixels; null if it is not known. */
  width: number | null
  height: number | null
  /** The pixels of all frames together; 0 if there is only one frame. */
  animatedPixels: number
  /** The file without location and other metadata. */
  pieces: Piece[]
}
