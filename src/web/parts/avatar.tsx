import type { Author } from '../../contract/shapes'

/** Decorative: the name is always next to it. */
export const Avatar = ({
  of: { avatar_urls, type },
  size = 24,
}: {
  of: Pick<Author, 'avatar_urls' | 'type'>
  size?: number
}) => (
  <img
    className={`avatar ${type}`}
    src={size <= 24 ? avatar_urls.base : avatar_urls.lg}
    width={size}
    height={size}
    alt=""
    loading="lazy"
  />
)
