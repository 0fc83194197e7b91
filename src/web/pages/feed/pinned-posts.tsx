import { useState } from 'react'
import { Link } from 'wouter'
import type { Pin } from '../../../contract/pins'
import { Button } from '../../parts/button'
import { Icon } from '../../parts/icon'
import { paths } from '../../paths'

/** If there are more, the rest is folded. */
const MAX_SHOWN = 3

/** The pinned posts at the top of a channel. */
export function PinnedPosts({ pins }: { pins: readonly Pin[] }) {
  const [isOpen, setOpen] = useState(false)
  if (pins.length === 0) return null
  const shown = isOpen ? pins : pins.slice(0, MAX_SHOWN)
  return (
    <section className="pins" aria-label="Pinned posts">
      <ul>
        {shown.map(({ post, pinned_by }) => (
          <li key={post.id} title={`Pinned by ${pinned_by.name}`}>
            <Icon name="pin" />
            <Link href={paths.post(post.id)} dir="auto">
              {post.title}
            </Link>
            {post.resolution && (
              <span className="pin-resolved">
                <Icon name="check" size={12} />
                <span className="visually-hidden">Resolved</span>
              </span>
            )}
            <span className="pin-author">{post.author.name}</span>
          </li>
        ))}
      </ul>
      {pins.length > MAX_SHOWN && (
        <Button variant="plain" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? 'Show fewer' : `Show all ${pins.length}`}
        </Button>
      )}
    </section>
  )
}
