\set customer random(1, 10000 * :scale)
SELECT c.name, c.credit, count(o.id), sum(o.amount)
  FROM wattmark_customer c LEFT JOIN wattmark_order o ON o.customer_id = c.id
  WHERE c.id = :customer GROUP BY c.id;
