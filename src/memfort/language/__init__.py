"""What words say, by rules over words alone: dates, names, types, sensitivity, stems and stop words. Pure: no store, no
policy and no model comes in here, and the same text always reads the same."""
