import type { Piece } from './pieces'

/** What was found out about an image or a video. */
export interface Scan {
  /** As it is shown, in pixels; null if it is not known. */
  width: number | null
  height: number | null
  /** Of all frames together; 0 if there is only one. */
  animatedPixels: number
  /** The file without location and other metadata. */
  pieces: Piece[]
}
