"""What a worker computes and stores for the pages of large projects."""
